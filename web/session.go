package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/google/uuid"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
)

const (
	sessionName = "cairn"
	ownerKey    = "owner"
	// sessionAge is how long a browser keeps its conversations, in seconds.
	sessionAge = 365 * 24 * 3600
)

// SessionKeys sign (64 bytes) and encrypt (32 bytes) the session cookie.
type SessionKeys struct{ Sign, Encrypt []byte }

// String hides the keys.
func (SessionKeys) String() string { return "[secret]" }

// GoString hides the keys.
func (SessionKeys) GoString() string { return "[secret]" }

// Derive returns a separate secret for a purpose. The keys cannot be computed from it.
func (k SessionKeys) Derive(purpose string) []byte {
	mac := hmac.New(sha256.New, k.Sign)
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}

// LoadKeys reads the keys from a file of 96 bytes, making it (mode 0600) when it
// is not there.
func LoadKeys(path string) (SessionKeys, error) {
	const sign, encrypt = 64, 32
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b = make([]byte, sign+encrypt)
		_, _ = rand.Read(b) // never fails
		if err := writeAtomic(path, b); err != nil {
			return SessionKeys{}, fmt.Errorf("keep the session key: %w", err)
		}
	} else if err != nil {
		return SessionKeys{}, fmt.Errorf("read the session key: %w", err)
	}
	if len(b) != sign+encrypt {
		return SessionKeys{}, fmt.Errorf("session key %s has %d bytes, want %d; delete it to make a new one (open conversations are then no longer reachable)", path, len(b), sign+encrypt)
	}
	return SessionKeys{Sign: b[:sign], Encrypt: b[sign:]}, nil
}

// writeAtomic writes a file with mode 0600 completely or not at all, even when the disk
// is full or the process dies.
func writeAtomic(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func newSessions(k SessionKeys) *sessions.CookieStore {
	store := sessions.NewCookieStore(k.Sign, k.Encrypt)
	store.MaxAge(sessionAge)
	store.Options.Path = "/"
	store.Options.HttpOnly = true
	store.Options.SameSite = http.SameSiteLaxMode
	return store
}

// owner names the session, or "" when the browser has none that is valid.
func (s *Server) owner(c echo.Context) string {
	if owner, ok := c.Get(ownerKey).(string); ok {
		return owner // the session is new with this response
	}
	sess, err := s.sessions.Get(c.Request(), sessionName)
	if err != nil {
		return "" // not ours or of an older key
	}
	owner, _ := sess.Values[ownerKey].(string)
	return owner
}

// ensureOwner is owner, giving the browser a session when it has none.
func (s *Server) ensureOwner(c echo.Context) (string, error) {
	if owner := s.owner(c); owner != "" {
		return owner, nil
	}
	sess, _ := s.sessions.New(c.Request(), sessionName) // an unreadable cookie results in a new session
	owner := uuid.NewString()
	sess.Values[ownerKey] = owner
	sess.Options.Secure = secure(c.Request())
	if err := sess.Save(c.Request(), c.Response()); err != nil {
		return "", fmt.Errorf("save the session: %w", err)
	}
	c.Set(ownerKey, owner)
	return owner, nil
}

// secure reports whether the request came over TLS, directly or through a proxy that
// sets X-Forwarded-Proto. A forged header only keeps the cookie off plain HTTP.
func secure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}
