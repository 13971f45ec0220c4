package agenttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// How a decision has to travel, for [Scenario.Transport].
const (
	// ProtocolTransport: top-level resume[], no command.
	ProtocolTransport = "protocol"
	// MastraCommandTransport: forwardedProps.command with resume and
	// interruptEvent, no resume[].
	MastraCommandTransport = "mastra-command"
	// LegacyCommandTransport: forwardedProps.command.resume, no resume[].
	LegacyCommandTransport = "legacy-command"
)

// Scenario is what a [Player] expects and what it answers.
type Scenario struct {
	// Path of the agent's route; "" takes any.
	Path string `json:"path"`
	// Header and Token: the header every request must carry with this value.
	// An empty Token asks for none; Header is X-Internal-Token when empty.
	Header string `json:"header"`
	Token  string `json:"-"`
	// Transport is how decisions travel; it is needed by steps with a Resume.
	Transport string `json:"transport"`
	// History requires that a request repeats, in order, the messages of the one
	// before it on its thread, and what was played since: assistant texts, and the
	// results of tool calls that were seen to start.
	History bool `json:"history"`
	// State requires that a request carries the state the thread had at the end of
	// its last run that finished ({} before the first).
	State bool `json:"state"`
	// Ordered takes the steps one after another. Otherwise each request takes the
	// first step that fits and was not yet played on its thread, else the last that fits.
	Ordered bool `json:"ordered"`
	// Speed is how fast transcripts with recorded times are played; the zero Speed
	// leaves the times out. A step may have its own.
	Speed Speed `json:"speed"`
	// FrameDelay is waited before each frame but the first where recorded times do
	// not say better; a step may have its own.
	FrameDelay Duration `json:"frameDelay"`
	Steps      []Step   `json:"steps"`
}

// pace is how long to wait before each frame of a step.
func (sc *Scenario) pace(st Step) func(i int) time.Duration {
	if speed := cmp.Or(st.Speed, sc.Speed); speed > 0 && st.Times != nil {
		return speed.pace(st.Times)
	}
	delay := time.Duration(cmp.Or(st.FrameDelay, sc.FrameDelay))
	return func(i int) time.Duration {
		if i == 0 {
			return 0
		}
		return delay
	}
}

// Step is one request and its answer. It is for a message or for a decision.
type Step struct {
	Name string `json:"name"`
	// Message is a regular expression for the last user message of a request that
	// carries no decision; "" fits any.
	Message string `json:"message"`
	// Resume is the decision that the request carries, as JSON. Set, the step is
	// for a decision; [AnyDecision] fits all.
	Resume json.RawMessage `json:"resume"`
	// Messages, when set, is the whole history, each as "role: text".
	Messages []string `json:"messages"`
	// StateIs, when set, is the state the request must carry.
	StateIs json.RawMessage `json:"stateIs"`

	// Play names the transcript, relative to the scenario's file; Transcript is its
	// bytes and Times when each frame came, both filled by Load as loadTranscript does.
	Play       string          `json:"play"`
	Transcript []byte          `json:"-"`
	Times      []time.Duration `json:"-"`
	Speed      Speed           `json:"speed"`
	FrameDelay Duration        `json:"frameDelay"`
	// Status, when set, is answered with Body instead of a transcript.
	Status int    `json:"status"`
	Body   string `json:"body"`

	message *regexp.Regexp
}

// AnyDecision is a [Step.Resume] that fits every decision.
var AnyDecision = json.RawMessage(`"*"`)

// Duration is a time.Duration that is written as in "30ms".
type Duration time.Duration

// UnmarshalJSON reads what time.ParseDuration reads.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	v, err := time.ParseDuration(text)
	*d = Duration(v)
	return err
}

// Load reads a scenario from a JSON file and the transcripts it names.
func Load(file string) (Scenario, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return Scenario{}, fmt.Errorf("load scenario: %w", err)
	}
	var sc Scenario
	if err := json.Unmarshal(raw, &sc); err != nil {
		return Scenario{}, fmt.Errorf("load scenario %s: %w", file, err)
	}
	for i := range sc.Steps {
		if sc.Steps[i].Play == "" {
			continue
		}
		path := filepath.Join(filepath.Dir(file), filepath.FromSlash(sc.Steps[i].Play))
		tr, err := loadTranscript(path)
		if err != nil {
			return Scenario{}, fmt.Errorf("load scenario %s, step %q: %w", file, sc.Steps[i].Name, err)
		}
		sc.Steps[i].Transcript, sc.Steps[i].Times = tr.Raw, tr.Times
	}
	return sc, nil
}

// check completes the scenario and names what is missing in it.
func (sc *Scenario) check() error {
	if sc.Header == "" {
		sc.Header = "X-Internal-Token"
	}
	switch sc.Transport {
	case "", ProtocolTransport, MastraCommandTransport, LegacyCommandTransport:
	default:
		return fmt.Errorf("unknown transport %q", sc.Transport)
	}
	for i := range sc.Steps {
		st := &sc.Steps[i]
		if st.Name == "" {
			st.Name = fmt.Sprintf("step %d", i+1)
		}
		if st.Status == 0 && len(st.Transcript) == 0 {
			return fmt.Errorf("%s: neither a transcript nor a status", st.Name)
		}
		if st.Resume != nil && sc.Transport == "" {
			return fmt.Errorf("%s: a decision needs the scenario's transport", st.Name)
		}
		var err error
		if st.message, err = regexp.Compile(st.Message); err != nil {
			return fmt.Errorf("%s: %w", st.Name, err)
		}
	}
	return nil
}
