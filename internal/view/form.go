package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
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

// Unfit is why a posted form is no decision: a sentence that says what to change, and
// the field it is about, "" when it is about none.
type Unfit struct{ Text, Field string }

func (u *Unfit) Error() string { return u.Text }

// Decision reads a posted form as the verdicts on what the thread's open question of
// that generation asks, one for each request in their order. It decides nothing. The
// error is [ErrNotOpen], an [*Unfit], or that of the log.
func (h *Hub) Decision(ctx context.Context, threadID string, generation int, posted url.Values) (each []agentclient.Verdict, err error) {
	askErr := h.ask(ctx, threadID, func(v *view) error {
		each, err = v.decision(generation, posted)
		return err
	})
	return each, askErr
}

func (v *view) decision(generation int, posted url.Values) ([]agentclient.Verdict, error) {
	a := v.thread.Open()
	if a == nil || a.Generation != generation || a.Decision != nil || a.Phase != interrupt.PhasePending {
		return nil, ErrNotOpen
	}
	if phase, _ := v.approvalPhase(a); phase != "pending" { // the runner says why it refuses
		return agentclient.Alike(len(a.Pending), posted.Get("decision") == "approve"), nil
	}
	asked := v.asked(a)
	if v.onlyDecline(a) {
		if posted.Get("decision") != "cancel" {
			return nil, &Unfit{Text: "This page does not show all that is asked, so it can only decline."}
		}
		return agentclient.Alike(len(a.Pending), false), nil
	}
	if err := known(posted, asked); err != nil {
		return nil, err
	}
	each := make([]agentclient.Verdict, len(asked))
	for i, w := range asked {
		f := w.form
		get := func(field int) (string, bool) {
			values, there := posted[components.NameOfField(i, field)]
			if !there {
				return "", false
			}
			return values[0], true
		}
		switch chosen(posted, i, len(asked)) {
		case "approve":
			if w.left {
				return nil, &Unfit{fmt.Sprintf("Request %d asks for more than yes or no, and this page has no room for its form. You can decline it.", i+1), components.NameOfChoice(i)}
			}
			answer, err := f.Read(get)
			if err != nil {
				return nil, unfit(err, i, len(asked))
			}
			each[i] = agentclient.Verdict{Approved: true, Answer: answer}
		case "cancel":
			each[i] = agentclient.Verdict{Answer: f.Decline(get)}
		default:
			return nil, undecided(f, i, len(asked))
		}
	}
	return each, nil
}

// chosen is the decision on a request: that on all of them, or its own.
func chosen(posted url.Values, request, of int) string {
	if all := posted.Get("decision"); all != "each" || of < 2 {
		return all
	}
	return posted.Get(components.NameOfChoice(request))
}

func undecided(f form.Form, request, of int) error {
	yes := "Approve"
	if !f.Asks {
		yes = "Send"
	}
	if of < 2 {
		return &Unfit{Text: fmt.Sprintf("Please choose %s or Cancel.", yes)}
	}
	return &Unfit{fmt.Sprintf("Please choose %s or Decline for request %d.", yes, request+1), components.NameOfChoice(request)}
}

func unfit(err error, request, of int) error {
	var p *form.Problem
	if !errors.As(err, &p) {
		return err
	}
	u := &Unfit{Text: p.Text}
	if p.Field >= 0 {
		u.Field = components.NameOfField(request, p.Field)
	}
	if of > 1 {
		u.Text = fmt.Sprintf("Request %d: %s", request+1, p.Text)
	}
	return u
}

// known refuses what was not on the form.
func known(posted url.Values, asked []worded) error {
	names := map[string]bool{"decision": true}
	for i, w := range asked {
		if len(asked) > 1 {
			names[components.NameOfChoice(i)] = true
		}
		for n := range w.form.Fields {
			names[components.NameOfField(i, n)] = true
		}
	}
	for name, values := range posted {
		if len(values) != 1 || !names[name] {
			return &Unfit{Text: "This form has changed or holds what nobody asked for. Please reload the page."}
		}
	}
	return nil
}

// maxForms is how many requests of one card have a form of their own: an agent may ask
// as many as it likes.
const maxForms = 20

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
	}
	if i < maxForms {
		w.form = form.New(w.Form, p.Payload, p.Args)
	} else {
		w.form = form.New(w.Form)
		w.left = !w.form.YesIsEnough()
		w.form.Fields = nil
	}
	if unworded := demos.Unworded().Title; w.Title == unworded && !w.form.Asks {
		w.Title, w.Approved, w.Declined, w.Hint = "Answer required", "Answered", "Not answered", ""
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
