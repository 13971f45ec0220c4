package scriptedmodel

import "sync"

// keepResponses is how many responses are kept to be referred to, and keepBytes
// how much text they may hold together; the oldest go first.
const (
	keepResponses = 500
	keepBytes     = 32 << 20
)

// store keeps what the Responses API lets a caller refer to by id instead of
// sending it again: the items of a response, and the conversation up to it. It
// is memory only, so an id from before a restart is not found.
type store struct {
	mu    sync.Mutex
	kept  []keptResponse // oldest first
	bytes int
}

type keptResponse struct {
	id      string
	history []message // the conversation, with the response
	items   map[string]message
	bytes   int
}

func (s *store) keep(id string, history []message, items map[string]message) {
	k := keptResponse{id: id, items: items}
	for _, m := range history {
		if m.Role != "system" && m.Role != "developer" { // instructions are not carried over
			k.history = append(k.history, m)
			k.bytes += len(m.Text) + 64
			for _, c := range m.Calls {
				k.bytes += len(c.Arguments)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, k)
	s.bytes += k.bytes
	for len(s.kept) > keepResponses || s.bytes > keepBytes && len(s.kept) > 0 {
		s.bytes -= s.kept[0].bytes
		s.kept[0] = keptResponse{}
		s.kept = s.kept[1:]
	}
}

// response is the conversation up to and with a response.
func (s *store) response(id string) ([]message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		if k.id == id {
			return k.history, true
		}
	}
	return nil, false
}

// item is what one output item said.
func (s *store) item(id string) (message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		if m, ok := k.items[id]; ok {
			return m, true
		}
	}
	return message{}, false
}
