package agenthost

import (
	"encoding/json"
	"net/http"
	"time"

	"cairn/internal/mask"
)

const (
	// maxForeign is the most bytes of a client's, a model's or a tool's text in an error,
	// and maxShort the most bytes of a name.
	maxForeign = 1 << 10
	maxShort   = 64
)

// excerpt returns the beginning of a text on one line.
func excerpt(text string, limit int) string { return new(mask.Set).Line(text, limit) }

// lingerTime is how long a connection stays open for the rest of a refused body. Closing
// it with unread bytes would reset the connection, and the client could lose the answer.
const lingerTime = 200 * time.Millisecond

// refuse answers with an error. The detail may have text of the client.
func (s *Server) refuse(w http.ResponseWriter, status int, detail string) {
	writeJSON(w, status, map[string]string{"detail": s.secrets.Line(detail, maxForeign)})
}

// turnAway refuses a request whose body is not read: the answer is sent at once and
// the connection closed without waiting for the body.
func (s *Server) turnAway(w http.ResponseWriter, status int, detail string) {
	closeAfter(w)
	s.refuse(w, status, detail)
}

// closeAfter closes the connection after the answer, even with an unread body.
func closeAfter(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	// A writer that knows no deadline (a test recorder) has no connection.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTime))
}

func writeJSON(w http.ResponseWriter, status int, v map[string]string) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTimeout))
	raw, err := json.Marshal(v)
	if err != nil {
		return // strings always encode
	}
	sendJSON(w, status, raw)
}

func sendJSON(w http.ResponseWriter, status int, raw []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // a client that is gone needs no answer
}
