package web

import (
	"encoding/json"
	"errors"
	"net/url"
	"testing"

	"cairn/components"
	"cairn/internal/form"
	"cairn/internal/view"
)

func asked(schemas ...string) view.Question {
	q := view.Question{Asked: len(schemas), Answerable: true}
	for _, s := range schemas {
		q.Requests = append(q.Requests, view.Request{Form: form.New(json.RawMessage(s))})
	}
	return q
}

const (
	withCopies = `{"properties":{"approved":{"type":"boolean"},"copies":{"type":"integer","minimum":1}},"required":["copies"]}`
	colours    = `{"type":"string","enum":["Red","Blue"]}`
	withNote   = `{"properties":{"approved":{"type":"boolean"},"note":{"type":"string"}}}`
)

// TestReadDecision: what is posted, read by what is asked.
func TestReadDecision(t *testing.T) {
	for _, c := range []struct {
		name   string
		asked  view.Question
		posted string
		want   string // the verdicts as JSON, or the field of the sentence
	}{
		{"yes", asked(""), "decision=approve", `[{"approved":true,"answer":{"approved":true}}]`},
		{"no", asked(""), "decision=cancel", `[{"approved":false,"answer":{"approved":false}}]`},
		{"a field", asked(withCopies), "decision=approve&q0-f0=3", `[{"approved":true,"answer":{"approved":true,"copies":3}}]`},
		{"a field that does not fit", asked(withCopies), "decision=approve&q0-f0=0", "q0-f0"},
		{"an answer", asked(`{"type":"string"}`), "decision=approve&q0-f0=Ada", `[{"approved":true,"answer":"Ada"}]`},
		{"no answer", asked(`{"type":"string"}`), "decision=cancel&q0-f0=", `[{"approved":false}]`},
		{"a choice", asked(colours), "decision=choose-1", `[{"approved":true,"answer":"Blue"}]`},
		{"no such choice", asked(colours), "decision=choose-2", "q0-f0"},
		{"no choice made", asked(colours), "decision=choose-", "q0-f0"},
		{"a choice where there is none", asked(`{"type":"string"}`), "decision=choose-0", ""},
		{"a choice for one of several", asked(colours, colours), "decision=choose-0", "q0-decision"},
		{"a choice to approve", asked(""), "decision=choose-0", ""},
		{"an empty answer", asked(`{"type":"string"}`), "decision=approve&q0-f0=", "q0-f0"},
		{"each", asked("", withNote), "decision=each&q0-decision=cancel&q1-decision=approve&q1-f0=", `[{"approved":false,"answer":{"approved":false}},{"approved":true,"answer":{"approved":true}}]`},
		{"one left open", asked("", ""), "decision=each&q0-decision=cancel", "q1-decision"},
		{"the second does not fit", asked("", withCopies), "decision=approve&q1-f0=x", "q1-f0"},
		{"nothing chosen", asked(""), "", ""},
		{"what nobody asked", asked(""), "decision=approve&q0-f0=1", ""},
		{"only no", view.Question{Asked: 2, Answerable: true, OnlyDecline: true}, "decision=cancel", `[{"approved":false,"answer":{"approved":false}},{"approved":false,"answer":{"approved":false}}]`},
		{"only no, and yes", view.Question{Asked: 2, Answerable: true, OnlyDecline: true}, "decision=approve", ""},
		{"not answerable", view.Question{Asked: 1}, "decision=approve", `[{"approved":true,"answer":{"approved":true}}]`},
	} {
		posted, err := url.ParseQuery(c.posted)
		if err != nil {
			t.Fatal(err)
		}
		each, err := readDecision(c.asked, posted)
		if why := new(unfit); errors.As(err, &why) {
			if why.field != c.want || why.text == "" {
				t.Errorf("%s: field %q: %s", c.name, why.field, why.text)
			}
			continue
		}
		if got, _ := json.Marshal(each); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
	}
}

// TestReadManyRequests: those that the page has no room for want more than yes, which is
// therefore not said for them.
func TestReadManyRequests(t *testing.T) {
	q := asked(withCopies, withCopies, withCopies)
	q.Requests[2].Form.Fields, q.Requests[2].NoRoom = nil, true
	for _, all := range []string{"approve", "each"} {
		posted := url.Values{"decision": {all}}
		for i := range q.Requests {
			posted.Set(components.NameOfChoice(i), "approve")
			if i < 2 {
				posted.Set(components.NameOfField(i, 0), "1")
			}
		}
		why := new(unfit)
		if _, err := readDecision(q, posted); !errors.As(err, &why) || why.field != components.NameOfChoice(2) {
			t.Errorf("%s: %v", all, err)
		}
	}
	each, err := readDecision(q, url.Values{"decision": {"cancel"}})
	if err != nil || len(each) != 3 || each[2].Approved {
		t.Errorf("%+v, %v", each, err)
	}
}
