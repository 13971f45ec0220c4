package agenttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"cairn/agui"
)

// decision is what a request carries to answer a pause.
type decision struct {
	value   json.RawMessage // what was decided
	command bool            // came in forwardedProps.command
	event   json.RawMessage // its interruptEvent
	resume  []agui.ResumeEntry
}

// decisionOf reads the decision of a request, nil when it carries none.
func decisionOf(in agui.RunAgentInput) (*decision, error) {
	var props struct {
		Command *struct {
			Resume         json.RawMessage `json:"resume"`
			InterruptEvent json.RawMessage `json:"interruptEvent"`
		} `json:"command"`
	}
	if len(in.ForwardedProps) > 0 {
		if err := json.Unmarshal(in.ForwardedProps, &props); err != nil {
			return nil, fmt.Errorf("forwardedProps: %w", err)
		}
	}
	d := &decision{resume: in.Resume}
	switch {
	case props.Command != nil:
		d.command, d.value, d.event = true, props.Command.Resume, props.Command.InterruptEvent
		if d.value == nil {
			return nil, errors.New("forwardedProps.command has no resume")
		}
	case len(in.Resume) == 1:
		d.value = in.Resume[0].Payload
		if d.value == nil {
			d.value = json.RawMessage("null")
		}
	case in.Resume != nil:
		d.value, _ = json.Marshal(in.Resume) // it was just decoded
	default:
		return nil, nil
	}
	return d, nil
}

// fits reports whether a request is the step's.
func (st Step) fits(in agui.RunAgentInput, d *decision) error {
	switch {
	case st.Resume == nil && d != nil:
		return fmt.Errorf("%s: a decision came, want a message", st.Name)
	case st.Resume != nil && d == nil:
		return fmt.Errorf("%s: a message came, want a decision", st.Name)
	case d != nil && !bytes.Equal(st.Resume, AnyDecision) && !sameJSON(st.Resume, d.value):
		return fmt.Errorf("%s: decision %s, want %s", st.Name, d.value, st.Resume)
	case d == nil && !st.message.MatchString(lastUser(in)):
		return fmt.Errorf("%s: message %q does not match %q", st.Name, lastUser(in), st.Message)
	}
	return nil
}

// checkTransport checks how a decision travels and that it answers the open pause.
func (sc *Scenario) checkTransport(d *decision, th *thread) error {
	if d == nil {
		if th.paused != nil {
			return errors.New("a message came while a decision is pending")
		}
		return nil
	}
	if th.paused == nil {
		return errors.New("a decision came, and nothing is pending on the thread")
	}
	switch sc.Transport {
	case ProtocolTransport:
		if d.command {
			return errors.New("forwardedProps.command is present; the decision goes in resume[]")
		}
		var ids []string
		for _, e := range d.resume {
			ids = append(ids, e.InterruptID)
		}
		slices.Sort(ids)
		if want := slices.Sorted(slices.Values(th.paused.ids)); !slices.Equal(ids, want) {
			return fmt.Errorf("resume[] answers %q, pending are %q", ids, want)
		}
	default:
		if d.resume != nil {
			return errors.New("top-level resume[] is present; the decision goes in forwardedProps.command")
		}
		if !d.command {
			return errors.New("forwardedProps.command is absent")
		}
		var want json.RawMessage
		if sc.Transport == MastraCommandTransport {
			want, _ = json.Marshal(map[string]string{"toolCallId": th.paused.callID, "runId": th.paused.runID})
		}
		if (want == nil) != (d.event == nil) || want != nil && !sameJSON(want, d.event) {
			return fmt.Errorf("interruptEvent %s, want %s", orAbsent(d.event), orAbsent(want))
		}
	}
	return nil
}

// checkContent checks the messages and the state of a request.
func (sc *Scenario) checkContent(st Step, in agui.RunAgentInput, th *thread) error {
	var errs []error
	if sc.History {
		errs = append(errs, th.checkHistory(in))
	}
	if sc.State {
		errs = append(errs, checkState(in.State, th.state()))
	}
	if st.StateIs != nil {
		errs = append(errs, checkState(in.State, st.StateIs))
	}
	if st.Messages != nil {
		var got []string
		for _, m := range in.Messages {
			got = append(got, fmt.Sprintf("%s: %s", m.Role, m.Content.Text()))
		}
		if !slices.Equal(got, st.Messages) {
			errs = append(errs, fmt.Errorf("messages %q, want %q", got, st.Messages))
		}
	}
	return errors.Join(errs...)
}

func checkState(got, want json.RawMessage) error {
	if len(got) == 0 {
		got = json.RawMessage("{}")
	}
	if !sameJSON(got, want) {
		return fmt.Errorf("state %s, want %s", got, want)
	}
	return nil
}

func lastUser(in agui.RunAgentInput) string {
	for _, m := range slices.Backward(in.Messages) {
		if m.Role == agui.RoleUser {
			return m.Content.Text()
		}
	}
	return ""
}

func orAbsent(v json.RawMessage) string {
	if v == nil {
		return "absent"
	}
	return string(v)
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
