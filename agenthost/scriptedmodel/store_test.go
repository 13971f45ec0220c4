package scriptedmodel

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"cairn/agenthost/scriptedmodel/script"
)

// TestStoreForgets: the oldest responses go when there are too many, or when
// they are too long together.
func TestStoreForgets(t *testing.T) {
	keep := func(s *store, n, size int) {
		for i := range n {
			m := message{Role: "assistant", Text: strings.Repeat("x", size)}
			s.keep(fmt.Sprint("resp_", i), []message{{Role: "system", Text: "secret"}, m}, map[string]message{fmt.Sprint("msg_", i): m})
		}
	}
	for name, c := range map[string]struct{ n, size, first int }{
		"few":  {3, 10, 0},
		"many": {keepResponses + 2, 10, 2},
		"long": {5, keepBytes / 3, 3},
		"huge": {1, keepBytes + 1, 1},
	} {
		var s store
		keep(&s, c.n, c.size)
		for i := range c.n {
			history, response := s.response(fmt.Sprint("resp_", i))
			_, item := s.item(fmt.Sprint("msg_", i))
			if want := i >= c.first; response != want || item != want {
				t.Errorf("%s: response %d %v, its item %v", name, i, response, item)
			}
			if response && len(history) != 1 { // instructions are not carried over
				t.Errorf("%s: history %v", name, history)
			}
		}
	}
}

// TestRequestsShareNothing: two requests that go on from one kept response do not
// write into each other's calls.
func TestRequestsShareNothing(t *testing.T) {
	var kept store
	calls := make([]script.Call, 1, 4)
	calls[0] = script.Call{ID: "first"}
	kept.keep("resp", []message{{Role: "assistant", Calls: calls}}, nil)
	var all sync.WaitGroup
	for _, id := range []string{"a", "b"} {
		all.Go(func() {
			in := responsesRequest{Previous: "resp", Input: inputItems{
				{Type: "function_call", CallID: id, Name: id}, {Type: "function_call_output", CallID: "first"}, {Type: "function_call_output", CallID: id},
			}}
			req, bad := in.request(&kept)
			if bad != nil || len(req.Messages) != 3 || req.Messages[0].Calls[1].ID != id {
				t.Errorf("%s: %+v, %+v", id, req, bad)
			}
		})
	}
	all.Wait()
}
