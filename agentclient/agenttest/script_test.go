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

func TestScriptChecksAndReplies(t *testing.T) {
	echo := func(in agui.RunAgentInput) []Action { return []Action{Say("m", lastUser(in), "!"), Finish()} }
	script := NewScript(
		Turn{Name: "first", Header: http.Header{"X-Agent": {"a"}}, Steps: []Action{Start(), Comment("ping")}, Reply: echo},
		Turn{Name: "second", Check: func(r Recorded) error { return errors.New("no token") }},
		Turn{Name: "third"},
	)
	client := &http.Client{Transport: InProcess(script)}
	post := func() (*http.Response, string) {
		resp, err := client.Post("http://agent/x?q=1", "application/json", strings.NewReader(`{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(body)
	}
	resp, body := post()
	if resp.Header.Get("X-Agent") != "a" || !strings.Contains(body, ": ping\n") || !strings.Contains(body, `"delta":"hi"`) || strings.Count(body, "data: ") != 6 {
		t.Errorf("%v %s", resp.Header, body)
	}
	if resp, body := post(); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, "no token") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	err := script.Err()
	if err == nil || err.Error() != "request 2 (POST /x): no token\nturns never asked for: 1" {
		t.Errorf("%v", err)
	}
	if r := script.Requests(); r[0].Step != "first" || r[1].Step != "second" {
		t.Errorf("steps %q, %q", r[0].Step, r[1].Step)
	}
}

func TestSequences(t *testing.T) {
	script := NewScript(
		Turn{Steps: []Action{Start(), Call("c", "look", `{"a":`, `1}`), Result("c", "ok"), Pause(agui.Interrupt{ID: "i", Reason: "why"})}},
		Turn{Steps: []Action{Start(), All(Fail("broken", "E1"), Drop()), Finish()}},
	)
	client := &http.Client{Transport: InProcess(script)}
	for _, want := range []string{
		`RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT RUN_FINISHED`,
		`RUN_STARTED RUN_ERROR`,
	} {
		resp, err := client.Post("http://agent/", "application/json", strings.NewReader(`{"threadId":"t","runId":"r"}`))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body) // the second is cut
		resp.Body.Close()
		var types []string
		for _, ev := range eventsOf(splitFrames(body)) {
			types = append(types, string(ev.Head().Type))
		}
		if got := strings.Join(types, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
