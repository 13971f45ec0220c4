package agenttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func get(t *testing.T, ctx context.Context, rt http.RoundTripper, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return (&http.Client{Transport: rt}).Do(req)
}

// A client over a real connection is broken too, and let through where asked.
func TestTransportOverTheNetwork(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, threeFrames) }))
	defer srv.Close()
	rt := &Transport{Base: http.DefaultTransport, Modes: []Mode{DropFrame(2), CutAfter(12)}, Skip: 1}
	for i, want := range []string{threeFrames, "data: 1\n\ndat", "data: 1\n\ndat"} {
		resp, err := get(t, t.Context(), rt, srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != want || (i > 0) != errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d: %q %v", i, body, err)
		}
		if i > 0 && (resp.ContentLength != -1 || resp.Header.Get("Content-Length") != "") {
			t.Errorf("%d: the length of the whole is still told", i)
		}
	}
	srv.Close()
	if _, err := get(t, t.Context(), rt, srv.URL); err == nil {
		t.Error("no server, no error")
	}
}

// The header leaves before the first frame, however long that takes.
func TestHeaderIsEarly(t *testing.T) {
	tr := Transcript{Raw: []byte(threeFrames), Times: []time.Duration{time.Hour}}
	srv := httptest.NewServer(tr.Handler(AsRecorded))
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	resp, err := get(t, ctx, http.DefaultTransport, srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

// Closing the body and ending the context both end a stall, in real life from
// another goroutine.
func TestStallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := &Transport{Base: InProcess(Transcript{Raw: []byte(threeFrames)}.Handler(Instantly)), Modes: []Mode{StallAfter(4)}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		resp, err := get(t, ctx, rt, "http://agent/")
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if body, err := io.ReadAll(resp.Body); string(body) != "data" || !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Minute {
			t.Errorf("%q %v after %v", body, err, time.Since(begun))
		}
		resp.Body.Close()

		if resp, err = get(t, t.Context(), rt, "http://agent/"); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() { // ends with the body
			_, err := io.ReadAll(resp.Body)
			done <- err
		}()
		synctest.Wait()
		resp.Body.Close()
		if err := <-done; !errors.Is(err, errClosed) {
			t.Errorf("closed: %v", err)
		}
	})
}

func TestInProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := make(chan error, 1)
		mux := http.NewServeMux()
		mux.HandleFunc("POST /empty", func(http.ResponseWriter, *http.Request) {})
		mux.HandleFunc("POST /no", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusTeapot) })
		mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
		mux.HandleFunc("POST /cut", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		})
		mux.HandleFunc("POST /never", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		mux.HandleFunc("POST /wait", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "begun")
			<-r.Context().Done()
			_, err := io.WriteString(w, "too late")
			left <- err
		})
		mux.HandleFunc("POST /silent", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done(); left <- r.Context().Err() })
		rt := InProcess(mux)
		for _, tc := range []struct {
			path   string
			status int
			body   string
			err    error
		}{
			{"empty", 200, "", nil},
			{"no", 418, "no\n", nil},
			{"echo", 200, "{}", nil},
			{"cut", 200, "half", io.ErrUnexpectedEOF},
			{"absent", 404, "404 page not found\n", nil},
		} {
			resp, err := get(t, t.Context(), rt, "http://agent/"+tc.path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != tc.status || string(body) != tc.body || !errors.Is(err, tc.err) {
				t.Errorf("%s: %d %q %v", tc.path, resp.StatusCode, body, err)
			}
		}
		if _, err := get(t, t.Context(), rt, "http://agent/never"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut before its header: %v", err)
		}
		resp, err := get(t, t.Context(), rt, "http://agent/wait")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(resp.Body, make([]byte, 5))
		resp.Body.Close()
		if err := <-left; err == nil {
			t.Error("a handler writes to who has left")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := get(t, ctx, rt, "http://agent/silent"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("no header: %v", err)
		}
		<-left
	})
}
