package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/agentclient/agenttest"
	"cairn/agui"
)

// secret stands for what an upstream's error body may hold; the browser must
// never see it.
const secret = "sk-upstream-secret-0000"

// evil tries every way known to us of becoming more than text: frames forged by
// bare CR and by LF, markup with handlers, htmx attributes, an out-of-band swap of
// the page's own elements, a closing tag of where it stands, and links and images
// that would fetch.
const evil = "hi\r\revent: datastar-patch-elements\rdata: elements <div id=\"pwned\">pwned</div>\r\r" +
	"event: datastar-patch-elements\ndata: elements <div id=\"pwned\">pwned</div>\n\n" +
	`<img src=x onerror="window.pwned=1"><script>window.pwned=1</script></p></div></pre></textarea>` +
	`<div id="pwned" hx-get="/pwned" hx-trigger="load" data-hx-get="/pwned" data-on:load="window.pwned=1"></div>` +
	`<div id="chat-items" hx-swap-oob="true">gone</div><svg onload="window.pwned=1"></svg>` +
	"\n\n[link](javascript:window.pwned=1) ![image](/pwned.png) <style>body{display:none}</style>"

// hostile answers according to the last user message. The cut answer is whole the
// second time it is asked for on a thread; the slow one ends, and the
// recorded one goes on, when a test says so.
type hostile struct {
	token string
	mu    sync.Mutex
	cut   map[string]int
	slow  map[string]chan struct{}
}

func newHostile(token string) *hostile {
	return &hostile{token: token, cut: map[string]int{}, slow: map[string]chan struct{}{}}
}

// ServeHTTP picks the turn.
func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if r.Header.Get("X-Internal-Token") != h.token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var in agui.RunAgentInput
	if err := json.Unmarshal(body, &in); err != nil || len(in.Messages) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	words := strings.Fields(in.Messages[len(in.Messages)-1].Content.Text() + " .")
	word := strings.ToLower(words[0])
	r.Body = io.NopCloser(bytes.NewReader(body))
	agenttest.NewScript(h.turn(word, in.ThreadID, strings.Contains(string(in.ForwardedProps), `"command"`))).ServeHTTP(w, r)
}

// turn is the answer to a message of that first word, or to a decision after it.
func (h *hostile) turn(word, thread string, decided bool) agenttest.Turn {
	switch word {
	case "attack":
		return agenttest.Events(attack()...)
	case "fail":
		return agenttest.Events(&agui.RunStarted{}, say("m-fail", "Before it fails."), &agui.RunError{Message: evil + secret, Code: evil})
	case "refuse":
		return agenttest.Turn{Status: http.StatusUnauthorized, ContentType: "application/json", Body: `{"detail":"unauthorized ` + secret + `"}`}
	case "crash":
		return agenttest.Turn{Status: http.StatusInternalServerError, ContentType: "text/plain", Body: "panic: " + secret + evil}
	case "html":
		return agenttest.Turn{ContentType: "text/html", Body: "<html><title>Proxy</title>" + secret + evil + "</html>"}
	case "garbage":
		return agenttest.Turn{Steps: []agenttest.Action{agenttest.Emit(&agui.RunStarted{}), agenttest.Bytes("data: {" + secret + "\n\n")}}
	case "cut":
		if h.again(thread) {
			return agenttest.Events(&agui.RunStarted{}, say("m-cut-2", "Whole this time."), &agui.RunFinished{})
		}
		return agenttest.Turn{Steps: []agenttest.Action{
			agenttest.Emit(&agui.RunStarted{}), agenttest.Emit(say("m-cut-1", "The first half of")), agenttest.Drop(),
		}}
	case "tool": // cut after a tool has had an effect
		if h.again(thread) {
			return agenttest.Events(&agui.RunStarted{}, say("m-tool-2", "Done again."), &agui.RunFinished{})
		}
		return agenttest.Turn{Steps: []agenttest.Action{
			agenttest.Emit(&agui.RunStarted{}),
			agenttest.Emit(&agui.ToolCallStart{ToolCallID: "call-t", ToolCallName: "charge_card"}),
			agenttest.Emit(&agui.ToolCallArgs{ToolCallID: "call-t", Delta: "{}"}),
			agenttest.Emit(&agui.ToolCallEnd{ToolCallID: "call-t"}),
			agenttest.Emit(&agui.ToolCallResult{MessageID: "r-t", ToolCallID: "call-t", Content: agui.TextContent("charged")}),
			agenttest.Drop(),
		}}
	case "ask":
		return rocket()
	case "doubt": // a decision whose run is cut; sent again, it is carried out
		switch {
		case !decided:
			return rocket()
		case !h.again(thread):
			return agenttest.Turn{Steps: []agenttest.Action{agenttest.Emit(&agui.RunStarted{}), agenttest.Drop()}}
		default:
			return agenttest.Events(&agui.RunStarted{},
				&agui.ToolCallResult{MessageID: "r-ask", ToolCallID: "call-ask", Content: agui.TextContent("launched")},
				say("m-doubt", "The rocket is up."), &agui.RunFinished{})
		}
	case "trap": // a pause that is hostile in every part
		value, _ := json.Marshal(map[string]any{
			"toolCallId": "call-" + evil, "toolName": evil, "reason": evil, "message": evil, "runId": evil,
			"suspendPayload": map[string]any{"site": evil, "nights": 1, "total_usd": -1e300}, "args": evil, "resumeSchema": evil,
		})
		return agenttest.Events(&agui.RunStarted{}, &agui.Custom{Name: "on_interrupt", Value: value}, &agui.RunFinished{
			Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{{
				ID: evil, Reason: evil, Message: evil, ToolCallID: "call-" + evil, ExpiresAt: "never",
			}}},
		})
	case "slow":
		return agenttest.Turn{Steps: []agenttest.Action{
			agenttest.Emit(&agui.RunStarted{}), paragraphs(h.finish(thread)), agenttest.Emit(&agui.RunFinished{}),
		}}
	case "recorded":
		return h.recorded(thread)
	case "many": // more than a page shows
		return agenttest.Events(many(450)...)
	case "words": // that nothing breaks, and more of them than a page shows
		long := strings.Repeat("unbroken", 2500)
		text := long + "\n\n`" + long + "`\n\n| a |\n|---|\n| " + long + " |\n\n" + strings.Repeat("A paragraph of words.\n\n", 40_000)
		return agenttest.Events(&agui.RunStarted{},
			&agui.ToolCallStart{ToolCallID: "call-w", ToolCallName: long},
			&agui.ToolCallArgs{ToolCallID: "call-w", Delta: `{"q":"` + long + `"}`},
			&agui.ToolCallEnd{ToolCallID: "call-w"},
			&agui.ToolCallResult{MessageID: "r-w", ToolCallID: "call-w", Content: agui.TextContent(strings.Repeat("[", 10_000))},
			say("m-words", text), &agui.RunFinished{})
	case "stall":
		return agenttest.Turn{Steps: []agenttest.Action{
			agenttest.Emit(&agui.RunStarted{}), agenttest.Emit(say("m-stall-"+thread, "Hold on")), agenttest.Stall(),
		}}
	default:
		return agenttest.Events(&agui.RunStarted{}, say("m-"+word, "I heard you."), &agui.RunFinished{})
	}
}

// many is an answer of n messages.
func many(n int) []agui.Event {
	events := []agui.Event{&agui.RunStarted{}}
	for i := range n {
		events = append(events, say(fmt.Sprint("m-many-", i), fmt.Sprint("Answer number ", i, ".")))
	}
	return append(events, &agui.RunFinished{})
}

// rocket is a pause that says nothing but the tool's name.
func rocket() agenttest.Turn {
	value, _ := json.Marshal(map[string]any{"toolCallId": "call-ask", "toolName": "launch_rocket"})
	return agenttest.Events(&agui.RunStarted{}, &agui.Custom{Name: "on_interrupt", Value: value}, &agui.RunFinished{})
}

// again reports whether the thread has asked for a cut answer before.
func (h *hostile) again(thread string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cut[thread]++
	return h.cut[thread] > 1
}

// finish returns the channel whose closing ends the thread's slow answer.
func (h *hostile) finish(thread string) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.slow[thread] == nil {
		h.slow[thread] = make(chan struct{})
	}
	return h.slow[thread]
}

// finished ends the slow answer of the thread in the query.
func (h *hostile) finished(w http.ResponseWriter, r *http.Request) {
	thread := r.FormValue("thread")
	end := h.finish(thread)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.slow[thread] == end {
		close(end)
		delete(h.slow, thread)
	}
	w.WriteHeader(http.StatusNoContent)
}

// recording is a run with a subagent and two messages; stride is how many of its
// frames are sent before the test must say that it goes on.
const (
	recording = "testdata/transcripts/mastra/20-subagents-delegate.sse"
	stride    = 4
)

// recorded plays the recording and stops at every stride.
func (h *hostile) recorded(thread string) agenttest.Turn {
	text, err := os.ReadFile(recording)
	if err != nil {
		return agenttest.Turn{Status: http.StatusInternalServerError, Body: err.Error()}
	}
	var t agenttest.Turn
	for frames := range slices.Chunk(strings.SplitAfter(string(text), "\n\n"), stride) {
		t.Steps = append(t.Steps, func(ctx context.Context, out *agenttest.Stream) error {
			next := h.finish(thread) // before the frames are there: the test may be quick
			if err := agenttest.Bytes(strings.Join(frames, ""))(ctx, out); err != nil {
				return err
			}
			return agenttest.Until(next)(ctx, out)
		})
	}
	return t
}

// paragraphs says numbered paragraphs, 40 a second, until the channel is closed.
func paragraphs(end <-chan struct{}) agenttest.Action {
	return func(ctx context.Context, out *agenttest.Stream) error {
		tick := time.NewTicker(25 * time.Millisecond)
		defer tick.Stop()
		for i := 1; ; i++ {
			if err := agenttest.Emit(say("m-slow", fmt.Sprintf("Paragraph %d.\n\n", i)))(ctx, out); err != nil {
				return err
			}
			select {
			case <-tick.C:
			case <-end:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// attack puts evil into every place an agent can write.
func attack() []agui.Event {
	args, _ := json.Marshal(map[string]string{evil: evil})
	state, _ := json.Marshal(map[string]any{
		"packing_list": map[string]any{"title": evil, "items": []any{map[string]any{"name": evil, "qty": 1}}},
		evil:           evil,
	})
	sub := agui.Base{SubagentRunID: "sub" + evil}
	events := []agui.Event{
		&agui.RunStarted{},
		&agui.ToolCallStart{ToolCallID: "call-" + evil, ToolCallName: evil},
		&agui.ToolCallArgs{ToolCallID: "call-" + evil, Delta: string(args)},
		&agui.ToolCallEnd{ToolCallID: "call-" + evil},
		&agui.ToolCallResult{MessageID: "r-" + evil, ToolCallID: "call-" + evil, Content: agui.TextContent(evil)},
		&agui.ToolCallStart{ToolCallID: "call-2", ToolCallName: "agent-" + evil},
		&agui.ToolCallEnd{ToolCallID: "call-2"},
		&agui.SubagentStarted{Base: sub, Name: evil, Description: evil, ParentToolCallID: "call-2"},
		&agui.TextMessageContent{Base: sub, MessageID: "child-" + evil, Delta: evil},
		&agui.SubagentError{Base: sub, Message: evil},
		&agui.StateSnapshot{Snapshot: state},
		&agui.Custom{Name: evil, Value: state},
	}
	for piece := range strings.SplitAfterSeq(evil, " ") {
		events = append(events, say("m-"+evil, piece))
	}
	return append(events, say("m-"+evil, "\n\nThe attack is over."), &agui.RunFinished{})
}

func say(id, text string) agui.Event {
	return &agui.TextMessageChunk{MessageID: &id, Delta: &text}
}
