package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/internal/peer"
)

// flat compares the cost of an event in a small and in a large conversation.
type flat struct {
	name, what   string
	small, large situation
	goal         float64 // the ratio that is still flat, 0 for no goal
	// peer is the same small and large as one stream each, of fewer events: what
	// comes before them is in its first events.
	peer [2][]byte
}

// peerTurns is how often the peer gets each: what is large takes it seconds.
const peerTurns = 2

// situation is a stream and the conversation it comes into, which is not timed.
// times makes small and large handle as many events.
type situation struct {
	text    []byte
	times   int
	prepare func(c *conversation.Conversation)
}

func flatness() []flat {
	deltas, count := longMessage(20_000), patches(20_000, "/count")
	return []flat{
		{name: "flat-message", what: "a message of 25 KB, then of 2.5 MB", goal: 1.3,
			small: situation{text: longMessage(5_000), times: 100},
			large: situation{text: longMessage(500_000), times: 1},
			peer:  [2][]byte{after(said(25_000), 1_000), after(said(2_500_000), 1_000)}},
		{name: "flat-history", what: "20,000 deltas after one message, then after 1,600", goal: 1.3,
			small: situation{text: deltas, times: 5},
			large: situation{text: deltas, times: 5, prepare: history(1_600)},
			peer:  [2][]byte{after(messages(1), 1_000), after(messages(1_600), 1_000)}},
		{name: "flat-state", what: "20,000 deltas beside no items of state, then beside 5,000", goal: 1.3,
			small: situation{text: count, times: 2, prepare: state(0)},
			large: situation{text: count, times: 2, prepare: state(5_000)},
			peer:  [2][]byte{patches(500, "/count", snapshot(0)), patches(500, "/count", snapshot(5_000))}},
		{name: "same-member", what: "100 deltas in a list of 1 item, then of 5,000",
			small: situation{text: patches(100, "/items/0/qty"), times: 10, prepare: state(1)},
			large: situation{text: patches(100, "/items/0/qty"), times: 1, prepare: state(5_000)},
			peer:  [2][]byte{patches(100, "/items/0/qty", snapshot(1)), patches(100, "/items/0/qty", snapshot(5_000))}},
	}
}

func (f flat) measure(timer *peer.Timer, dir string, rounds int) (growth, error) {
	g := growth{Name: f.name, What: f.what}
	for i, text := range f.peer {
		if timer == nil {
			break
		}
		path := filepath.Join(dir, fmt.Sprintf("%s-%d.sse", f.name, i))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return g, err
		}
		for range min(rounds, peerTurns) {
			t, err := timer.Run(path)
			if err != nil {
				return g, err
			}
			g.peers[i] = append(g.peers[i], turn{t.Wall * 1e6 / float64(t.Events), t.CPU * 1e6 / float64(t.Events)})
		}
	}
	for range rounds {
		for _, s := range []struct {
			situation
			into *[]turn
		}{{f.small, &g.small}, {f.large, &g.large}} {
			ready := make([]*conversation.Conversation, s.times)
			for i := range ready {
				ready[i] = conversation.New()
				if s.prepare != nil {
					s.prepare(ready[i])
				}
			}
			t, err := timed(func() (n int, err error) {
				for i, c := range ready {
					events, err := pipeline(s.text, c)
					if n += events; err != nil {
						return n, err
					}
					if c.NoteCount() > 0 {
						return n, fmt.Errorf("the stream is at fault: %v", c.Notes()[0])
					}
					ready[i] = nil
				}
				return n, nil
			})
			if err != nil {
				return g, err
			}
			*s.into = append(*s.into, t)
		}
	}
	return g, nil
}

// history brings n messages of 200 bytes.
func history(n int) func(*conversation.Conversation) {
	return func(c *conversation.Conversation) {
		for i := range n {
			c.AddMessage(agui.Message{ID: fmt.Sprint("h", i), Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", 200))})
		}
	}
}

// state brings a number, and a list of n items.
func state(n int) func(*conversation.Conversation) {
	return func(c *conversation.Conversation) {
		c.Apply(&agui.RunStarted{Base: agui.Base{Type: agui.TypeRunStarted}, ThreadID: "t", RunID: "s"})
		c.Apply(&agui.StateSnapshot{Base: agui.Base{Type: agui.TypeStateSnapshot}, Snapshot: json.RawMessage(items(n))})
		c.Apply(&agui.RunFinished{Base: agui.Base{Type: agui.TypeRunFinished}, ThreadID: "t", RunID: "s"})
	}
}

func items(n int) string {
	return `{"count":0,"items":[` + strings.TrimSuffix(strings.Repeat(`{"name":"tent","qty":1},`, n), ",") + `]}`
}

// snapshot, messages and said are the events that bring what state and history
// bring, and a message of n bytes.
func snapshot(n int) string { return `{"type":"STATE_SNAPSHOT","snapshot":` + items(n) + `}` }

func messages(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"id":"h%d","role":"user","content":"%s"}`, i, strings.Repeat("x", 200)))
	}
	return `{"type":"MESSAGES_SNAPSHOT","messages":[` + strings.Join(all, ",") + `]}`
}

func said(n int) string {
	return `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"` + strings.Repeat("x", n) + `"}`
}
