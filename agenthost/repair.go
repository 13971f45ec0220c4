package agenthost

import (
	"bytes"
	"encoding/json"
)

// noResult is the result of a call that has none.
const noResult = `{"error":true,"message":"No result was recorded for this call."}`

// repair returns the conversation changed so that every Chat Completions server accepts it:
//
//   - each call has one result, right after its message; a result without a call is
//     omitted;
//   - ids are unique and short, names and arguments are what the API allows;
//   - a call whose arguments are cut off and that has no result is omitted.
//
// Ids may be used again: a result belongs to the calls of the newest turn before it
// that have its id, in their order, and the newest result of a call counts. The
// service's records of its own calls (interrupts) replace the client's results, and are
// added where the client does not have the call.
//
// The cost and the size of what it returns are linear in the list and the interrupts.
func repair(list []Message, interrupts []Interrupt) []Message {
	p := pairResults(list)
	unseen := p.useRecords(list, interrupts)
	at := len(list) // of the newest message when it is the user's; unseen calls go before it
	if at > 0 && list[at-1].Role == "user" {
		at--
	}
	w := requestWriter{out: make([]Message, 0, len(list)), ids: map[string]bool{}}
	next := 0 // index in p.calls
	for i, m := range list {
		if i == at {
			w.pairs(unseen)
		}
		switch m.Role {
		case "tool":
			if in := p.orphans[i]; in != nil {
				w.pairs([]*Interrupt{in})
			}
		case "assistant":
			w.assistant(m, p.calls[next:next+len(m.ToolCalls)])
			next += len(m.ToolCalls)
		default:
			w.out = append(w.out, m)
		}
	}
	if at == len(list) {
		w.pairs(unseen)
	}
	return w.out
}

// pairedCall is a call of the list and its result.
type pairedCall struct {
	call   *ToolCall
	result string
	has    bool // a result
}

// pairing maps the calls of a list to their results.
type pairing struct {
	calls []pairedCall // in the order of the list
	// orphans are the results without a call, by index in the list, each with the
	// interrupt of the missing call or nil.
	orphans map[int]*Interrupt
	byID    map[string]*sameID
	lost    map[string][]int // orphans by id, oldest first
}

// sameID has the calls of one id that still have no result, and the results so far.
type sameID struct {
	turn    int   // of the calls, or of the results that came before any
	calls   []int // index in pairing.calls
	early   []int // results before the calls, as indexes in the list
	results []int // and after them
}

// pairResults returns the result of each call.
func pairResults(list []Message) *pairing {
	p := &pairing{orphans: map[int]*Interrupt{}, byID: map[string]*sameID{}, lost: map[string][]int{}}
	turn := 0
	var order []string // ids as they are met
	of := func(id string) *sameID {
		s := p.byID[id]
		if s == nil {
			s = &sameID{turn: turn}
			p.byID[id] = s
			order = append(order, id)
		}
		return s
	}
	for i := range list {
		m := &list[i]
		if m.Role == "user" {
			turn++
		}
		if m.Role == "tool" {
			s := of(m.ToolCallID)
			if len(s.calls) == 0 && s.turn != turn {
				p.settle(s, m.ToolCallID, list)
				s.turn = turn
			}
			s.results = append(s.results, i)
		}
		for j := range m.ToolCalls {
			id := m.ToolCalls[j].ID
			s := of(id)
			switch {
			case s.turn != turn || len(s.calls) > 0 && len(s.results) > 0:
				p.settle(s, id, list)
			case len(s.calls) == 0:
				s.early, s.results = s.results, nil
			}
			s.turn, s.calls = turn, append(s.calls, len(p.calls))
			p.calls = append(p.calls, pairedCall{call: &m.ToolCalls[j]})
		}
	}
	for _, id := range order {
		p.settle(p.byID[id], id, list)
	}
	return p
}

// settle assigns the results of one id to its calls. With too few results, the last calls
// get them; with too many, the last call gets the newest.
func (p *pairing) settle(s *sameID, id string, list []Message) {
	results := s.results
	if len(results) == 0 || len(s.calls) == 0 {
		results = append(s.early, s.results...)
	} else {
		p.lost[id] = append(p.lost[id], s.early...)
	}
	if n := len(s.calls); n == 0 {
		p.lost[id] = append(p.lost[id], results...)
	} else {
		first := max(0, n-len(results))
		for i, call := range s.calls[first:] {
			from := i
			if first+i == n-1 {
				from = len(results) - 1
			}
			if from >= 0 {
				p.calls[call].result, p.calls[call].has = list[results[from]].Content, true
			}
		}
	}
	s.calls, s.early, s.results = nil, nil, nil
}

// useRecords replaces the client's results of the service's calls by the recorded ones.
// It returns the interrupts with a decision whose calls the client does not have.
func (p *pairing) useRecords(list []Message, interrupts []Interrupt) (unseen []*Interrupt) {
	if len(interrupts) == 0 {
		return nil
	}
	ours := map[string]bool{}
	for _, in := range interrupts {
		ours[in.ToolCallID] = true
	}
	exact, named := map[ToolCall][]int{}, map[ToolCall][]int{} // the client's calls
	for i, c := range p.calls {
		switch {
		case !ours[c.call.ID]:
		case isObject(c.call.Arguments):
			key := compact(*c.call)
			exact[key] = append(exact[key], i)
		default: // the client does not have the whole call
			key := ToolCall{ID: c.call.ID, Name: c.call.Name}
			named[key] = append(named[key], i)
		}
	}
	last := func(of map[ToolCall][]int, key ToolCall) int {
		rest := of[key]
		if len(rest) == 0 {
			return -1
		}
		of[key] = rest[:len(rest)-1]
		return rest[len(rest)-1]
	}
	results := outcomes(interrupts)
	found := make([]bool, len(interrupts))
	for k := len(interrupts) - 1; k >= 0; k-- { // newest first, of calls as of interrupts
		call := compact(ownCall(&interrupts[k]))
		at := last(exact, call)
		if call.Arguments = ""; at < 0 {
			at = last(named, call)
		}
		if found[k] = at >= 0; found[k] && results[k] != "" {
			p.calls[at].result, p.calls[at].has = results[k], true
		}
	}
	for k := len(interrupts) - 1; k >= 0; k-- {
		in := &interrupts[k]
		lost := p.lost[in.ToolCallID]
		if found[k] || len(lost) == 0 {
			continue
		}
		found[k] = true
		at := lost[len(lost)-1]
		p.lost[in.ToolCallID] = lost[:len(lost)-1]
		told := *in
		if told.Result = json.RawMessage(results[k]); results[k] == "" {
			told.Result = json.RawMessage(list[at].Content)
		}
		p.orphans[at] = &told
	}
	for k := range interrupts {
		if in := interrupts[k]; !found[k] && in.State != StateFinished && results[k] != "" {
			in.Result = json.RawMessage(results[k])
			unseen = append(unseen, &in)
		}
	}
	return unseen
}

func ownCall(in *Interrupt) ToolCall {
	return ToolCall{in.ToolCallID, in.ToolName, string(in.Args)}
}

// compact returns the call with its arguments as compact JSON.
func compact(c ToolCall) ToolCall {
	var b bytes.Buffer
	if json.Compact(&b, []byte(c.Arguments)) == nil {
		c.Arguments = b.String()
	}
	return c
}

// outcomes returns the result of each interrupt with a decision, "" for the others.
func outcomes(interrupts []Interrupt) []string {
	list := make([]string, len(interrupts))
	begun := map[string]bool{} // runs whose first call without a result was met
	for i, in := range interrupts {
		switch {
		case in.Result != nil:
			list[i] = string(in.Result)
		case in.State != StateDecided:
		case begun[in.RunID]: // calls of one pause are carried out in order
			list[i] = string(failure("This call was not carried out."))
		default:
			list[i] = string(failure("The outcome of this call is not known."))
			begun[in.RunID] = true
		}
	}
	return list
}
