package agentclient_test

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"cairn/agentclient"
)

// TestCauses: an error says why there is no connection, or how it was lost, and the end of
// the run says it too.
func TestCauses(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + gone.Addr().String()
	_ = gone.Close()
	hangUp := func(after string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if after != "" {
				stream(after)(w, r)
				_ = http.NewResponseController(w).Flush()
			}
			panic(http.ErrAbortHandler)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	plain := httptest.NewServer(stream(started + finished))
	defer plain.Close()
	unknown := httptest.NewUnstartedServer(stream(started + finished))
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
	unknown.StartTLS()
	defer unknown.Close()
	whole := httptest.NewServer(stream(started))
	defer whole.Close()

	for _, c := range []struct {
		name, url string
		http      http.RoundTripper
		cause     agentclient.Cause
		outcome   agentclient.Outcome
	}{
		{"nothing listens", nobody, nil, agentclient.CauseRefused, agentclient.OutcomeNotSent},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1), nil, agentclient.CauseTLS, agentclient.OutcomeNotSent},
		{"an unknown certificate", unknown.URL, nil, agentclient.CauseTLS, agentclient.OutcomeNotSent},
		{"dropped before the answer", hangUp(""), nil, agentclient.CauseDropped, agentclient.OutcomeNoAnswer},
		{"dropped in the answer", hangUp(started), nil, agentclient.CauseDropped, agentclient.OutcomeTruncated},
		{"ended before the run", whole.URL, nil, agentclient.CauseUnfinished, agentclient.OutcomeTruncated},
		{"no such host", "http://agent.test", fails{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}}, agentclient.CauseUnknownHost, agentclient.OutcomeNoAnswer},
		{"no answer from DNS", "http://agent.test", fails{&net.DNSError{Err: "i/o timeout", IsTimeout: true}}, agentclient.CauseTimeout, agentclient.OutcomeNoAnswer},
		{"no way there", "http://agent.test", fails{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}}, agentclient.CauseUnreachable, agentclient.OutcomeNoAnswer},
		{"reset", "http://agent.test", fails{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}}, agentclient.CauseDropped, agentclient.OutcomeNoAnswer},
		{"a stream of HTTP/2", "http://agent.test", fails{errors.New("stream error: stream ID 1; INTERNAL_ERROR; received from peer")}, agentclient.CauseDropped, agentclient.OutcomeNoAnswer},
		{"dial timeout", "http://agent.test", fails{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}}, agentclient.CauseTimeout, agentclient.OutcomeNoAnswer},
		{"another", "http://closed.eof.test/refused?x509=timeout", fails{errors.New("the moon is full")}, "", agentclient.OutcomeNoAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.http == nil {
				c.http = http.DefaultTransport.(*http.Transport).Clone()
			}
			client, err := agentclient.New(agentclient.Config{URL: c.url, HTTPClient: &http.Client{Transport: c.http}})
			if err != nil {
				t.Fatal(err)
			}
			_, failed := collect(t, t.Context(), client)
			if failed == nil || failed.Cause != c.cause {
				t.Fatalf("%v, cause %q, want %q", failed, failed.Cause, c.cause)
			}
			if end := agentclient.EndOf(failed); end.Outcome != c.outcome || end.Cause != c.cause {
				t.Errorf("end %+v, want %s", end, c.outcome)
			}
		})
	}
}

// fails is a transport that returns an error.
type fails struct{ err error }

func (f fails) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// TestRedirectSaysWhere: the error names where an answer leads, and no secret in it.
func TestRedirectSaysWhere(t *testing.T) {
	for _, c := range []struct{ location, says string }{
		{"/final", "/final"},
		{"https://user:hunter2@other.test/agent?key=hunter2#hunter2", "https://[secret]@other.test/agent?key=[secret]"},
		{"/x?t=" + token, "/x?t=[secret]"},
		{"/" + token, "/[secret]"},
		{"", ""},
	} {
		client := serve(t, agentclient.Config{Token: token}, func(w http.ResponseWriter, _ *http.Request) {
			if c.location != "" {
				w.Header().Set("Location", c.location)
			}
			w.WriteHeader(http.StatusPermanentRedirect)
		})
		_, failed := collect(t, t.Context(), client)
		if failed == nil || failed.Kind != agentclient.KindStatus || failed.Status != 308 {
			t.Fatal(failed)
		}
		text := failed.Error()
		if strings.Contains(text, "redirects to") != (c.location != "") || !strings.Contains(text, c.says) || strings.Contains(text, "hunter2") || strings.Contains(text, token) {
			t.Errorf("%s: %s", c.location, text)
		}
	}
}
