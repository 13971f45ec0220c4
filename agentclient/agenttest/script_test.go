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

	"cairn/agui"
)

func TestScriptTurns(t *testing.T) {
	ready := make(chan struct{})
	close(ready)
	script := NewScript(
		Events(&agui.RunStarted{}, &agui.RunFinished{RunID: "own"}),
		Turn{Status: 500, ContentType: "text/html", Body: "<h1>down</h1>"},
		Turn{Steps: []Action{Until(ready), Bytes("data: {\n\n"), Drop()}},
		Turn{Steps: []Action{Emit(&agui.RunStarted{}), Emit(&agui.Custom{Name: "no value"})}},
	)
	srv := httptest.NewServer(script)
	defer srv.Close()
	post := func() (*http.Response, string, error) {
		resp, err := http.Post(srv.URL, "application/json", strings.NewReader(`{"threadId":"t","runId":"r"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return resp, string(body), err
	}
	resp, body, err := post()
	const want = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"own\"}\n\n"
	if body != want || err != nil || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%q %v", body, err)
	}
	resp, body, _ = post()
	if resp.StatusCode != 500 || body != "<h1>down</h1>" || resp.Header.Get("Content-Type") != "text/html" {
		t.Fatalf("%d %q", resp.StatusCode, body)
	}
	if _, body, err = post(); body != "data: {\n\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("dropped: %q %v", body, err)
	}
	if _, _, err = post(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("an event that cannot be written must cut: %v", err)
	}
	if resp, _, _ = post(); resp.StatusCode != 500 {
		t.Fatalf("no turn left: %d", resp.StatusCode)
	}
	if r := script.Requests(); len(r) != 5 || r[0].Input.RunID != "r" {
		t.Fatalf("recorded %d", len(r))
	}
}

func TestWaitAndStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := Wait(time.Minute)(t.Context(), nil); err != nil || time.Since(start) != time.Minute {
			t.Fatalf("waited %v: %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, act := range []Action{Wait(time.Hour), Stall(), Until(make(chan struct{}))} {
			if err := act(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
	})
}

func TestBreak(t *testing.T) {
	const stream = "data: 1\n\ndata: 2\r\n\r\ndata: 3\n\n"
	read := func(modes ...Mode) string {
		got, err := io.ReadAll(Break(strings.NewReader(stream), modes...))
		if err != nil {
			return string(got) + "!" + err.Error()
		}
		return string(got)
	}
	for _, tc := range []struct{ name, got, want string }{
		{"nothing", read(), stream},
		{"one byte", read(OneByte()), stream},
		{"cut", read(CutAfter(4)), "data!unexpected EOF"},
		{"duplicate", read(DuplicateFrame(2)), "data: 1\n\ndata: 2\r\n\r\ndata: 2\r\n\r\ndata: 3\n\n"},
		{"duplicate, then cut", read(DuplicateFrame(1), CutAfter(18)), "data: 1\n\ndata: 1\n\n!unexpected EOF"},
		{"cut, then duplicate", read(CutAfter(9), DuplicateFrame(1)), "data: 1\n\ndata: 1\n\n!unexpected EOF"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, tc.got, tc.want)
		}
	}
	buf := make([]byte, 10)
	if n, _ := Break(strings.NewReader(stream), OneByte()).Read(buf); n != 1 {
		t.Errorf("one byte: %d", n)
	}
}
