package dialect

import (
	"encoding/json"
	"fmt"
	"testing"

	"cairn/agui"
)

// TestMastraAnswers: where Mastra looks for a decision, and what it means.
func TestMastraAnswers(t *testing.T) {
	const yes = `{"approved":true}`
	event := func(resume, event string) string {
		return `{"forwardedProps":{"command":{"resume":` + resume + `,"interruptEvent":` + event + `}}}`
	}
	const of = `{"toolCallId":"c","runId":"r"}`
	for _, tc := range []struct{ name, in, want string }{
		{"a message", `{}`, ""},
		{"other properties", `{"forwardedProps":{"locale":"de"}}`, ""},
		{"properties that are no object", `{"forwardedProps":[1]}`, ""},
		{"command", event(yes, of), "r::c of r " + yes},
		{"command with the event as text", event(yes, `"{\"toolCallId\":\"c\",\"runId\":\"r\"}"`), "r::c of r " + yes},
		{"command false", event("false", of), "r::c of r cancelled"},
		{"command {}", event("{}", of), "r::c of r {}"},
		{"command null", event("null", of), "! forwardedProps.command.resume is missing"},
		{"no event", event(yes, "null"), "! forwardedProps.command.interruptEvent is missing"},
		{"event without ids", event(yes, "{}"), "! interruptEvent needs toolCallId and runId"},
		{"event that is a number", event(yes, "7"), "! interruptEvent is malformed"},
		{"event that is broken text", event(yes, `"{"`), "! interruptEvent is malformed"},
		{"command of the wrong type", `{"forwardedProps":{"command":7}}`, "! forwardedProps.command is malformed"},
		{"protocol", `{"resume":[{"interruptId":"a","status":"resolved","payload":1},{"interruptId":"b","status":"cancelled"}]}`, "a of  1; b of  cancelled"},
		{"protocol without a payload", `{"resume":[{"interruptId":"a","status":"resolved"}]}`, "! resume[0].payload is missing"},
		{"both", `{"resume":[{"interruptId":"a","status":"cancelled"}],"forwardedProps":{"command":{"resume":true,"interruptEvent":` + of + `}}}`, "r::c of r true"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var in agui.RunAgentInput
			if err := json.Unmarshal([]byte(tc.in), &in); err != nil {
				t.Fatal(err)
			}
			if got := spelled(Mastra{}.Answers(in)); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

func spelled(list []Answer, err error) string {
	if err != nil {
		return "! " + err.Error()
	}
	out := ""
	for i, a := range list {
		if i > 0 {
			out += "; "
		}
		what := string(a.Payload)
		if a.Cancelled {
			what = "cancelled"
		}
		out += fmt.Sprintf("%s of %s %s", a.Interrupt, a.RunID, what)
	}
	return out
}

// FuzzMastraAnswers: whatever comes is a message, an error, or answers that name
// an interrupt and are either cancelled or JSON.
func FuzzMastraAnswers(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `null`, `{"command":{"resume":false,"interruptEvent":{"toolCallId":"c","runId":"r"}}}`,
		`{"command":{"resume":{},"interruptEvent":"{\"toolCallId\":\"c\",\"runId\":\"r\"}"}}`, `{"command":{"interruptEvent":""}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, props []byte) {
		if !json.Valid(props) {
			return
		}
		list, err := Mastra{}.Answers(agui.RunAgentInput{ForwardedProps: props})
		if err != nil {
			return
		}
		for _, a := range list {
			if a.Interrupt == "" || a.Cancelled == json.Valid(a.Payload) {
				t.Errorf("%s returned %+v", props, a)
			}
		}
	})
}
