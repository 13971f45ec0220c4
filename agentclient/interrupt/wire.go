package interrupt

import (
	"bytes"
	"encoding/json"
	"fmt"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// Transport is the way an answer travels.
type Transport string

const (
	// TransportAuto uses the protocol's resume array when the pause came as an
	// outcome, and a command otherwise.
	TransportAuto Transport = "auto"
	// TransportProtocol is the top-level resume array of AG-UI 1.0.
	TransportProtocol Transport = "protocol"
	// TransportMastraCommand is forwardedProps.command with resume and
	// interruptEvent; it needs a notice that names its tool call.
	TransportMastraCommand Transport = "mastra-command"
	// TransportLegacyCommand is forwardedProps.command with resume alone.
	TransportLegacyCommand Transport = "legacy-command"
)

// Wire is what the resuming request carries of a decision: one of the two is set.
type Wire struct {
	// ForwardedProps is the JSON object {"command":{…}}, nil over the protocol transport.
	ForwardedProps json.RawMessage
	// Resume is the top-level array, nil over the command transports.
	Resume []agui.ResumeEntry
}

func (w Wire) clone() Wire {
	w.ForwardedProps = bytes.Clone(w.ForwardedProps)
	if w.Resume != nil {
		entries := make([]agui.ResumeEntry, len(w.Resume))
		for i, e := range w.Resume {
			e.Payload = bytes.Clone(e.Payload)
			entries[i] = e
		}
		w.Resume = entries
	}
	return w
}

// Batch reports whether the answer travels as the protocol's array, in which each of
// what is pending has an entry of its own and can be withdrawn from.
func (s *Session) Batch() bool {
	return len(s.native) > 0 && s.speaksProtocol()
}

// wire decides how the answer travels and puts it there.
func (s *Session) wire(resume json.RawMessage) (Wire, error) {
	callID, eventRun := s.noticeAddress()
	switch s.transport {
	case TransportProtocol:
		return s.resumeArray(resume)
	case TransportMastraCommand:
		if callID == "" {
			return Wire{}, fmt.Errorf("%w: no %s value with a toolCallId", ErrNotAddressable, agui.NoticeName)
		}
		return command(resume, callID, eventRun)
	case TransportLegacyCommand:
		return command(resume, "", "")
	case TransportAuto:
		if len(s.native) > 0 {
			return s.resumeArray(resume)
		}
		return command(resume, callID, eventRun)
	default:
		return Wire{}, fmt.Errorf("%w: unknown transport %q", ErrNotAddressable, s.transport)
	}
}

// noticeAddress returns the tool call and the run that the notice speaks of.
func (s *Session) noticeAddress() (callID, runID string) {
	switch {
	case !s.hasLegacy:
		return "", s.runID
	case s.legacy.RunID == "":
		return s.legacy.ToolCallID, s.runID
	}
	return s.legacy.ToolCallID, s.legacy.RunID
}

func command(resume json.RawMessage, callID, runID string) (Wire, error) {
	type event struct {
		ToolCallID string `json:"toolCallId"`
		RunID      string `json:"runId,omitempty"`
	}
	var props struct {
		Command struct {
			Resume         json.RawMessage `json:"resume"`
			InterruptEvent *event          `json:"interruptEvent,omitempty"`
		} `json:"command"`
	}
	props.Command.Resume = resume
	if callID != "" {
		props.Command.InterruptEvent = &event{callID, runID}
	}
	raw, err := jsontext.Marshal(props)
	if err != nil {
		return Wire{}, fmt.Errorf("%w: %v", ErrBadDecision, err)
	}
	return Wire{ForwardedProps: raw}, nil
}

func (s *Session) resumeArray(resume json.RawMessage) (Wire, error) {
	if len(s.native) == 0 {
		return Wire{}, fmt.Errorf("%w: the run ended without an interrupt outcome", ErrNotAddressable)
	}
	if len(s.place) > MaxPending {
		return Wire{}, fmt.Errorf("%w: %d", ErrTooMany, len(s.place))
	}
	if bytes.TrimLeft(resume, " \t\r\n")[0] == '[' {
		entries, err := s.entries(resume)
		return Wire{Resume: entries}, err
	}
	if len(s.native) > 1 {
		return Wire{}, fmt.Errorf("%w: %d interrupts wait, one answer was given", ErrBadDecision, len(s.native))
	}
	return Wire{Resume: []agui.ResumeEntry{{
		InterruptID: s.native[0].ID, Status: agui.ResumeResolved, Payload: payload(resume),
	}}}, nil
}

// entries reads a structured answer: every pending interrupt exactly once.
func (s *Session) entries(resume json.RawMessage) ([]agui.ResumeEntry, error) {
	var given []struct {
		agui.ResumeEntry
		ID string `json:"id"` // an accepted alias of interruptId
	}
	if err := json.Unmarshal(resume, &given); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrBadDecision, err)
	}
	open := make(map[string]bool, len(s.native))
	for _, it := range s.native {
		open[it.ID] = true
	}
	entries := make([]agui.ResumeEntry, 0, len(given))
	for i, g := range given {
		e := g.ResumeEntry
		e.Payload = payload(e.Payload)
		switch {
		case e.InterruptID == "":
			e.InterruptID = g.ID
		case g.ID != "" && g.ID != e.InterruptID:
			return nil, fmt.Errorf("%w: entry %d names both %q and %q", ErrBadDecision, i, e.InterruptID, g.ID)
		}
		if !open[e.InterruptID] {
			return nil, fmt.Errorf("%w: interrupt %q is not open or answered twice", ErrBadDecision, e.InterruptID)
		}
		open[e.InterruptID] = false
		switch e.Status {
		case "":
			e.Status = agui.ResumeResolved
		case agui.ResumeResolved:
		case agui.ResumeCancelled:
			if e.Payload != nil {
				return nil, fmt.Errorf("%w: cancelled interrupt %q carries a payload", ErrBadDecision, e.InterruptID)
			}
		default:
			return nil, fmt.Errorf("%w: unknown status %q", ErrBadDecision, e.Status)
		}
		entries = append(entries, e)
	}
	if len(entries) != len(s.native) {
		return nil, fmt.Errorf("%w: %d of %d interrupts answered", ErrBadDecision, len(entries), len(s.native))
	}
	return entries, nil
}

// payload drops null, which a payload cannot be (protocol section 3.3).
func payload(v json.RawMessage) json.RawMessage {
	if len(v) == 0 || string(bytes.TrimSpace(v)) == "null" {
		return nil
	}
	return v
}

func stringOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}
