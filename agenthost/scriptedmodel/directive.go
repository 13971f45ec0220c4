package scriptedmodel

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// directive is what the last user message may ask of the model itself, for
// measuring how a runtime takes it.
type directive struct {
	status int // answer with this HTTP error
	drop   bool
	slow   bool
	two    bool
}

var directivePattern = regexp.MustCompile(`(?i)\[model: *(error (400|401|403|404|408|409|429|500|502|503|504)|drop|slow|two tools)\]`)

// readDirective reads and removes the directives in a user's message.
func readDirective(text string) (string, directive) {
	var d directive
	rest := directivePattern.ReplaceAllStringFunc(text, func(found string) string {
		m := directivePattern.FindStringSubmatch(found)
		switch strings.ToLower(m[1]) {
		case "drop":
			d.drop = true
		case "slow":
			d.slow = true
		case "two tools":
			d.two = true
		default:
			_, _ = fmt.Sscan(m[2], &d.status)
		}
		return ""
	})
	return strings.TrimSpace(rest), d
}

// failure is the error the API would answer with.
func (d directive) failure() *apiError {
	e := &apiError{Message: fmt.Sprintf("The scripted model was told to fail with %d.", d.status), Type: "server_error"}
	switch {
	case d.status == http.StatusTooManyRequests:
		e.Type, e.Code = "requests", "rate_limit_exceeded"
	case d.status < http.StatusInternalServerError:
		e.Type = invalidRequest
	}
	return e
}

// slowDelay is the least pause between the words of a slow answer, and
// slowWords how many it has.
const (
	slowDelay = 30 * time.Millisecond
	slowWords = 200
)

// longAnswer is an answer of slowWords numbered words.
func longAnswer() string {
	out := make([]string, slowWords)
	for i := range out {
		out[i] = fmt.Sprintf("word-%d", i+1)
	}
	return strings.Join(out, " ")
}
