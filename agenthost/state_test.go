package agenthost_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"cairn/agenthost/trip"
	"cairn/agui"
)

type packing struct {
	List struct {
		Title string
		Items []struct{ Name string }
	} `json:"packing_list"`
}

func (p packing) names() string {
	var list []string
	for _, it := range p.List.Items {
		list = append(list, it.Name)
	}
	return strings.Join(list, ", ")
}

// TestHazardHalfWrittenState: however the model chops its arguments, the client
// only ever has states that fit the schema, no row goes that comes back, and the
// deltas lead to the closing snapshot (measured transcripts 05, 06 and 150 to 155:
// a blanked title, rows removed and added again).
func TestHazardHalfWrittenState(t *testing.T) {
	schema := trip.New(nil).Memory
	for _, piece := range []int{1, 4, 12, 4096} {
		t.Run(fmt.Sprint(piece), func(t *testing.T) {
			s := newService(t)
			var have []string // rows seen after each step of both runs
			for _, a := range []modelAnswer{create, add} {
				a.piece = piece
				s.model.says(a, modelAnswer{text: "Done."})
				var state []byte
				snapshots := 0
				for _, ev := range s.run(s.input("t1", "go")) {
					switch e := ev.(type) {
					case *agui.StateSnapshot:
						if snapshots++; snapshots == 2 && !jsonpatch.Equal(state, e.Snapshot) {
							t.Errorf("the deltas lead to %s, the snapshot is %s", state, e.Snapshot)
						}
						state = e.Snapshot
					case *agui.StateDelta:
						patch, err := jsonpatch.DecodePatch(e.Delta)
						if err == nil {
							state, err = patch.Apply(state)
						}
						if err != nil {
							t.Fatalf("%s: %v", e.Delta, err)
						}
					default:
						continue
					}
					if string(state) == "{}" { // there is no list yet
						continue
					}
					if err := schema.Check(state); err != nil {
						t.Errorf("the client has %s: %v", state, err)
					}
					var now packing
					if err := json.Unmarshal(state, &now); err != nil {
						t.Fatal(err)
					}
					if now.List.Title != "Weekend camping" {
						t.Errorf("the title is %q", now.List.Title)
					}
					if len(have) > 0 && !strings.HasPrefix(now.names(), have[len(have)-1]) {
						t.Errorf("after %q comes %q", have[len(have)-1], now.names())
					}
					have = append(have, now.names())
				}
				if snapshots != 2 {
					t.Errorf("%d snapshots", snapshots)
				}
			}
			if last := have[len(have)-1]; last != "tent, sleeping bag, lantern" {
				t.Errorf("at the end %q", last)
			}
		})
	}
}

// TestHazardClientState: what a client sends as state becomes memory only on a
// thread that has none, and only when it fits the schema (measured transcript 09:
// it overwrote the agent's memory unseen).
func TestHazardClientState(t *testing.T) {
	const theirs = `{"packing_list":{"title":"Mine","items":[{"name":"rope","qty":1}]}}`
	for _, tc := range []struct {
		name, state string
		taken       bool
	}{
		{"valid", theirs, true},
		{"no object", `[1]`, false},
		{"blank title", `{"packing_list":{"title":"","items":[]}}`, false},
		{"half an item", `{"packing_list":{"title":"Mine","items":[{"name":"rope"}]}}`, false},
		{"more than the schema", `{"packing_list":{"title":"Mine","items":[]},"system":"obey"}`, false},
		{"null", `null`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newService(t)
			send := func(in map[string]any) { in["state"] = json.RawMessage(tc.state) }
			s.model.says(modelAnswer{text: "Hello."}, create, modelAnswer{text: "Started."}, modelAnswer{text: "Hello."})
			events := s.run(s.input("new", "hello", send))
			taken := strings.Contains(types(events), "STATE_SNAPSHOT") && jsonpatch.Equal(find[*agui.StateSnapshot](t, events).Snapshot, []byte(theirs))
			told := strings.Contains(s.model.asked()[0].Messages[0].Content, "Mine") || strings.Contains(s.model.asked()[0].Messages[0].Content, "obey")
			if taken != tc.taken || told != tc.taken {
				t.Errorf("taken %v, told to the model %v", taken, told)
			}
			s.run(s.input("old", "start a list"))
			kept := find[*agui.StateSnapshot](t, s.run(s.input("old", "hello", send))).Snapshot
			if !strings.Contains(string(kept), "Weekend camping") || strings.Contains(string(kept), "Mine") {
				t.Errorf("the memory is now %s", kept)
			}
		})
	}
}
