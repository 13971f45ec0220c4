package view

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/form"
	"cairn/internal/plaintext"
)

// ErrNotOpen: no question of that generation waits for a decision.
var ErrNotOpen = errors.New("no such question is open")

// Question is what an open question asks, for a posted form to be read by.
type Question struct {
	// Asked is how many requests there are. Each gets a verdict, in their order.
	Asked int
	// Answerable is false when nobody can answer: the runner returns why.
	Answerable bool
	// OnlyDecline is true when the page does not show all that is asked. Requests are then
	// not all of them.
	OnlyDecline bool
	Requests    []Request
}

// Request is one thing that a question asks.
type Request struct {
	// Form is what can be filled in. Its fields are named by [components.NameOfField].
	Form form.Form
	// NoRoom is true when it asks for more than yes or no and the page has no room for its
	// form: it can only be declined.
	NoRoom bool
}

// Question returns what the thread's open question of that generation asks. The error is
// [ErrNotOpen], or that of the log.
func (h *Hub) Question(ctx context.Context, threadID string, generation int) (q Question, err error) {
	askErr := h.ask(ctx, threadID, func(v *view) error {
		q, err = v.question(generation)
		return err
	})
	return q, askErr
}

func (v *view) question(generation int) (Question, error) {
	a := v.thread.Open()
	if a == nil || a.Generation != generation || a.Decision != nil || a.Phase != interrupt.PhasePending {
		return Question{}, ErrNotOpen
	}
	phase, _ := v.approvalPhase(a)
	q := Question{Asked: len(a.Pending), Answerable: phase == "pending", OnlyDecline: v.onlyDecline(a)}
	for _, w := range v.asked(a) {
		q.Requests = append(q.Requests, Request{Form: w.form, NoRoom: w.left})
	}
	return q, nil
}

// maxForms is how many requests of one card have a form of their own: an agent may ask
// as many as it likes.
const maxForms = 20

// answerTitle is over a request that is no yes or no and that the demo has no words for.
const answerTitle = "Answer required"

// worded is a request as it is shown.
type worded struct {
	demos.Approval
	Message string
	form    form.Form
	left    bool // its form was left out, and yes alone is no answer to it
	over    bool // it is larger than a card shows
	size    int  // bytes of HTML, about
}

// worded puts the request i into its demo's words. One that the demo has no facts of
// is shown in its agent's words and by its own members, with the form that its agent
// asks for. Beyond the first few of a batch there is no form to fill in, and of one that
// is larger than a card nothing is read.
func (v *view) worded(i int, p interrupt.Pending) (w worded) {
	if p.Unread || requestLen(p) > maxRequest {
		return worded{Approval: demos.Unworded(), form: form.Plain(), over: true}
	}
	w.Approval = v.demo.Approval(p)
	if len(w.Rows) == 0 {
		w.Rows, w.Message = rowsOf(p), message(p)
		if w.Form == nil {
			w.Form = p.Schema
		}
		if words, options, ok := question(p); ok && w.Form == nil {
			w.Rows, w.Message, w.Form = nil, words, answerSchema(options)
		}
	}
	if i < maxForms {
		w.form = form.New(w.Form, p.Payload, p.Args)
	} else {
		w.form = form.New(w.Form)
		w.left = !w.form.YesIsEnough()
		w.form.Fields = nil
	}
	if unworded := demos.Unworded().Title; w.Title == unworded && !w.form.Asks {
		w.Title, w.Approved, w.Declined, w.Hint = answerTitle, "Answered", "Not answered", ""
	}
	w.Rows = revealed(w.Rows)
	w.Message = plaintext.Reveal(w.Message, maxValue)
	w.size = w.htmlLen()
	return w
}

// requestLen is how many bytes of a request are read to show it.
func requestLen(p interrupt.Pending) int {
	n := len(p.Payload) + len(p.Args) + len(p.Schema) + len(p.Message) + len(p.ToolName)
	for _, all := range []map[string]json.RawMessage{p.Metadata, p.Extra} {
		for name, value := range all {
			n += len(name) + len(value)
		}
	}
	return n
}

// htmlLen is about how many bytes of HTML the request is.
func (w worded) htmlLen() int {
	const markup = 160 // around a value
	size := func(texts ...string) (n int) {
		for _, s := range texts {
			_, size := htmlLen(s, maxApproval)
			n += markup + size
		}
		return n
	}
	n := itemHTML + size(w.Message)
	for _, r := range w.Rows {
		n += size(r.Label, r.Value)
	}
	for _, f := range w.form.Fields {
		n += itemHTML + size(f.Label, f.Help, f.Value, f.Legend, f.GroupHelp) + size(f.Options...)
	}
	return n
}

// asked are an approval's requests as they are shown, the first that fit on a card. They
// are made once for what is pending: a form may be work, and is needed at each change and
// by each tab.
func (v *view) asked(a *agentclient.Approval) []worded {
	was, n := v.wordings[a.Key], len(a.Pending)
	if len(was.pending) == n && (n == 0 || &was.pending[0] == &a.Pending[0]) {
		return was.all
	}
	now, left := wording{pending: a.Pending}, maxApproval
	for i, p := range a.Pending[:min(n, maxRequests)] {
		w := v.worded(i, p)
		if left -= w.size; left < 0 {
			if i == 0 {
				now.all = []worded{{Approval: demos.Unworded(), form: form.Plain(), over: true}}
			}
			break
		}
		now.all = append(now.all, w)
	}
	v.wordings[a.Key] = now
	return now.all
}

// onlyDecline reports whether a card does not show all that it asks for. Nobody can
// approve what the page does not show.
func (v *view) onlyDecline(a *agentclient.Approval) bool {
	asked := v.asked(a)
	return len(asked) < len(a.Pending) || slices.ContainsFunc(asked, func(w worded) bool { return w.over })
}

// wording is what was made of what is pending.
type wording struct {
	pending []interrupt.Pending
	all     []worded
}

// titled are the words of the whole card: those of its requests, or of none when they
// differ.
func titled(asked []worded) demos.Approval {
	if len(asked) == 0 || slices.ContainsFunc(asked, func(w worded) bool { return w.Title != asked[0].Title }) {
		return demos.Unworded()
	}
	return asked[0].Approval
}

// groupsOf are a form's fields as they are drawn.
func groupsOf(request int, f form.Form) (all []components.InputGroup) {
	for i, x := range f.Fields {
		if i == 0 || x.Group != f.Fields[i-1].Group {
			all = append(all, components.InputGroup{Legend: plaintext.Reveal(x.Legend, maxName), Help: plaintext.Reveal(x.GroupHelp, maxValue)})
		}
		in := components.Input{
			Kind: string(x.Kind), Name: components.NameOfField(request, i), Value: x.Value,
			Label: plaintext.Reveal(x.Label, maxName), Help: plaintext.Reveal(x.Help, maxValue),
			Required: x.MustFill(), Signed: x.Signed,
		}
		for _, option := range x.Options {
			in.Options = append(in.Options, plaintext.Reveal(option, maxName))
		}
		last := &all[len(all)-1]
		last.Inputs = append(last.Inputs, in)
	}
	return all
}
