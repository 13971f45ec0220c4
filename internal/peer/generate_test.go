package peer_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// This file makes up valid runs: everything the protocol allows in an order it
// allows, interleaved as no captured agent does. The same seed makes the same run.

type generator struct {
	*rand.Rand
	out  strings.Builder
	next int

	open     []*part // what must be ended before the run is
	messages []map[string]any
	calls    []string        // ids of calls without a result
	helpers  map[string]bool // calls of subagents
	results  []map[string]any
	groups   []string // subagents going on
}

// part is something open: a message, a call, a reasoning message, a step, a span.
type part struct {
	kind, id, tag, role string
}

// generate is one run of about n events.
func generate(seed uint64, n int) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), helpers: map[string]bool{}}
	g.say("RUN_STARTED", "threadId", "t", "runId", "r")
	g.say("STATE_SNAPSHOT", "snapshot", map[string]any{"list": []any{1, 2}, "map": map[string]any{"a": nil}, "n": 0})
	for range n {
		g.step()
	}
	for len(g.open) > 0 {
		g.end(g.IntN(len(g.open)))
	}
	for _, id := range g.groups {
		g.say("SUBAGENT_FINISHED", "subagentRunId", id)
	}
	g.say("RUN_FINISHED", "threadId", "t", "runId", "r")
	return g.out.String()
}

func (g *generator) step() {
	switch g.IntN(20) {
	case 0, 1:
		p := g.begin("TEXT_MESSAGE", "m")
		p.role = g.pick("assistant", "assistant", "user", "system")
		g.tagged(p.tag, "TEXT_MESSAGE_START", "messageId", p.id, "role", p.role)
	case 2, 3:
		p := g.begin("TOOL_CALL", "c")
		args := []any{"toolCallId", p.id, "toolCallName", "look"}
		if p.tag == "" {
			args = append(args, g.parent()...)
		}
		g.tagged(p.tag, "TOOL_CALL_START", args...)
		g.tagged(p.tag, "TOOL_CALL_ARGS", "toolCallId", p.id, "delta", `{"at":"`)
		g.calls, g.helpers[p.id] = append(g.calls, p.id), p.tag != ""
	case 4:
		p := g.begin("REASONING_MESSAGE", "t")
		g.tagged(p.tag, "REASONING_MESSAGE_START", "messageId", p.id, "role", "reasoning")
	case 5, 6, 7, 8, 9:
		g.content()
	case 10, 11:
		if len(g.open) > 0 {
			g.end(g.IntN(len(g.open)))
		}
	case 12:
		g.result()
	case 13, 14:
		g.state()
	case 15:
		g.chunks()
	case 16:
		g.activity()
	case 17:
		g.group()
	case 18:
		g.say("CUSTOM", "name", "note", "value", nil)
		g.say("RAW", "event", map[string]any{"deep": []any{nil, 1.5}})
	case 19:
		if len(g.open) == 0 {
			g.snapshot()
		}
	}
}

func (g *generator) begin(kind, prefix string) *part {
	p := &part{kind: kind, id: g.id(prefix)}
	if len(g.groups) > 0 && g.IntN(3) == 0 {
		p.tag = g.pick(g.groups...)
	}
	g.open = append(g.open, p)
	return p
}

// content adds to something open, now and then with metadata.
func (g *generator) content() {
	if len(g.open) == 0 {
		return
	}
	p := g.open[g.IntN(len(g.open))]
	args := []any{"messageId", p.id, "delta", g.text()}
	kind := p.kind + "_CONTENT"
	if p.kind == "TOOL_CALL" {
		args[0], args[3], kind = "toolCallId", quoted(g.text()), "TOOL_CALL_ARGS"
	}
	if g.IntN(6) == 0 {
		args = append(args, "metadata", map[string]any{g.pick("a", "b"): g.IntN(9), "nil": nil})
	}
	g.tagged(p.tag, kind, args...)
	if g.IntN(8) == 0 { // one emoji in two deltas
		args = args[:4]
		for _, half := range []string{highHalf, lowHalf} {
			args[3] = half
			g.tagged(p.tag, kind, args...)
		}
	}
}

func (g *generator) end(i int) {
	p := g.open[i]
	g.open = append(g.open[:i], g.open[i+1:]...)
	name := "messageId"
	if p.kind == "TOOL_CALL" {
		name = "toolCallId"
		g.tagged(p.tag, "TOOL_CALL_ARGS", name, p.id, "delta", `"}`)
	} else if p.tag == "" && p.kind == "TEXT_MESSAGE" {
		g.messages = append(g.messages, map[string]any{"id": p.id, "role": p.role})
	}
	g.tagged(p.tag, p.kind+"_END", name, p.id)
}

// parent names a message that is there, one that is not, or none.
func (g *generator) parent() []any {
	switch g.IntN(3) {
	case 0:
		return nil
	case 1:
		return []any{"parentMessageId", g.id("p")}
	}
	for _, p := range g.open {
		if p.kind == "TEXT_MESSAGE" && p.tag == "" {
			return []any{"parentMessageId", p.id}
		}
	}
	return nil
}

// result answers a call, also before its end.
func (g *generator) result() {
	if len(g.calls) == 0 {
		return
	}
	i := g.IntN(len(g.calls))
	var content any = `{"ok":true}`
	if g.IntN(3) == 0 {
		content = []any{map[string]any{"type": "text", "text": "seen"},
			map[string]any{"type": "image", "source": map[string]any{"type": "url", "value": "https://example.com/a.png"}}}
	}
	id := g.id("r")
	g.say("TOOL_CALL_RESULT", "messageId", id, "toolCallId", g.calls[i], "content", content)
	if !g.helpers[g.calls[i]] {
		g.results = append(g.results, map[string]any{"id": id, "role": "tool", "toolCallId": g.calls[i], "content": "kept"})
	}
	if g.IntN(4) == 0 {
		g.say("REASONING_ENCRYPTED_VALUE", "subtype", "tool-call", "entityId", g.calls[i], "encryptedValue", "e")
	}
	g.calls = append(g.calls[:i], g.calls[i+1:]...)
}

// state patches, sometimes what is not there: that patch must change nothing.
func (g *generator) state() {
	op := func(op, path string, value any) map[string]any {
		o := map[string]any{"op": op, "path": path}
		if op == "move" || op == "copy" {
			o["from"] = value
		} else if op != "remove" {
			o["value"] = value
		}
		return o
	}
	ops := []map[string]any{
		op("replace", "/n", g.IntN(99)), op("add", "/list/-", g.text()), op("add", "/list/0", nil),
		op("add", "/map/x~1y~0", map[string]any{"deep": []any{}}), op("remove", "/list/0", nil), op("copy", "/copied", "/list"),
		op("move", "/moved", "/map/a"), op("test", "/n", 0), op("replace", "/missing/deep", 1), op("add", "/list/99", 1),
		op("add", "/map", map[string]any{"a": 1.5, "b": true}), op("replace", "/list", []any{"a", "b"}),
	}
	if g.IntN(12) == 0 {
		g.say("STATE_SNAPSHOT", "snapshot", map[string]any{"list": []any{g.text()}, "n": g.IntN(2), "map": map[string]any{}})
		return
	}
	var patch []any
	for range 1 + g.IntN(3) {
		patch = append(patch, ops[g.IntN(len(ops))])
	}
	g.say("STATE_DELTA", "delta", patch)
}

// chunks is a message or a call in the short form, its first chunk naming it.
func (g *generator) chunks() {
	id := g.id("k")
	if g.IntN(2) == 0 {
		g.say("TEXT_MESSAGE_CHUNK", "messageId", id, "delta", g.text())
		for range g.IntN(3) {
			g.say("TEXT_MESSAGE_CHUNK", "delta", g.text())
		}
		g.messages = append(g.messages, map[string]any{"id": id, "role": "assistant"})
		return
	}
	g.say("TOOL_CALL_CHUNK", "toolCallId", id, "toolCallName", "look", "parentMessageId", g.id("p"), "delta", `{"at":"`)
	for range g.IntN(3) {
		g.say("TOOL_CALL_CHUNK", "toolCallId", id, "delta", quoted(g.text()))
	}
	g.say("RAW", "event", nil)
	g.say("TOOL_CALL_CHUNK", "delta", `"}`)
	g.calls = append(g.calls, id)
}

func (g *generator) activity() {
	id := g.id("a")
	g.say("ACTIVITY_SNAPSHOT", "messageId", id, "activityType", "PLAN", "content", map[string]any{"steps": []any{}})
	for range g.IntN(3) {
		g.say("ACTIVITY_DELTA", "messageId", id, "activityType", "PLAN",
			"patch", []any{map[string]any{"op": "add", "path": g.pick("/steps/-", "/done", "/no/where"), "value": g.text()}})
	}
	if g.IntN(3) == 0 {
		g.say("ACTIVITY_SNAPSHOT", "messageId", id, "activityType", "PLAN", "content", map[string]any{"steps": nil}, "replace", g.IntN(2) == 0)
	}
}

// group starts a subagent, or ends one whose parts may go on.
func (g *generator) group() {
	if len(g.groups) > 2 || len(g.groups) > 0 && g.IntN(2) == 0 {
		i := g.IntN(len(g.groups))
		if g.IntN(3) == 0 {
			g.say("SUBAGENT_ERROR", "subagentRunId", g.groups[i], "message", "failed")
		} else {
			g.say("SUBAGENT_FINISHED", "subagentRunId", g.groups[i], "result", 1)
		}
		g.groups = append(g.groups[:i], g.groups[i+1:]...)
		return
	}
	id := g.id("s")
	g.say("SUBAGENT_STARTED", "subagentRunId", id, "name", "helper")
	g.groups = append(g.groups, id)
}

// snapshot keeps some messages with other content, drops the rest, and brings one.
// What it drops takes the calls with it, and leaves some of their results, though none of a
// subagent's, whose call ours does not send and so not its result.
func (g *generator) snapshot() {
	var all []any
	kept := g.messages[:0]
	for _, m := range g.messages {
		if g.IntN(2) == 0 {
			m["content"] = g.text() + g.id(".")
			all = append(all, m)
			kept = append(kept, m)
		}
	}
	left := g.results[:0]
	for _, m := range g.results {
		if g.IntN(2) == 0 {
			all, left = append(all, m), append(left, m)
		}
	}
	g.results = left
	m := map[string]any{"id": g.id("m"), "role": "user", "content": []any{map[string]any{"type": "text", "text": g.text() + g.id(".")}}}
	g.messages, g.calls = append(kept, m), nil
	g.say("MESSAGES_SNAPSHOT", "messages", append(all, m))
}

// The halves of a surrogate pair, which no Go string can hold: stand-ins that say
// writes as escapes.
const (
	highHalf = "\uE000"
	lowHalf  = "\uE001"
)

var halves = strings.NewReplacer(highHalf, `\ud83c`, lowHalf, `\udfd5`)

// text is a delta.
func (g *generator) text() string {
	return g.pick("word ", "", "ü\n", "\"quoted\"", "日本", "🏕", "<b>", "\u2028", "\x00", "a longer piece of text ")
}

// quoted is text as a piece of a JSON string, because arguments that are no JSON are sent as
// {} by ours and as they are by the peer.
func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // only our own literals come here
	}
	return string(raw[1 : len(raw)-1])
}

func (g *generator) id(prefix string) string {
	g.next++
	return fmt.Sprint(prefix, g.next)
}

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *generator) say(kind string, pairs ...any) { g.tagged("", kind, pairs...) }

func (g *generator) tagged(tag, kind string, pairs ...any) {
	event := map[string]any{"type": kind}
	for i := 0; i < len(pairs); i += 2 {
		event[pairs[i].(string)] = pairs[i+1]
	}
	if tag != "" {
		event["subagentRunId"] = tag
	}
	raw, err := json.Marshal(event)
	if err != nil {
		panic(err) // only our own literals come here
	}
	fmt.Fprintf(&g.out, "data: %s\n\n", halves.Replace(string(raw)))
}
