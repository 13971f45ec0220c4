package probe

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"cairn/agentclient/interrupt"
)

//go:embed scenarios/*.json
var shipped embed.FS

// Scenario is what one agent has to be told so that each surface shows. A
// surface without a prompt is not probed.
type Scenario struct {
	// Name is a word for file names and reports: a-z, 0-9 and dashes.
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Transport is how a decision travels, as [interrupt.Transport]; empty is auto.
	Transport interrupt.Transport `json:"transport,omitempty"`

	// Messages are said one after another on one thread. The first also goes with
	// what needs no prompt of its own; at least one is required.
	Messages []string `json:"messages"`
	// Tools makes the agent call a tool that needs no decision.
	Tools string `json:"tools,omitempty"`
	// State are said one after another on one thread; each changes the shared state.
	State      []string  `json:"state,omitempty"`
	Interrupts *Question `json:"interrupts,omitempty"`
	// Subagents makes the agent delegate.
	Subagents string `json:"subagents,omitempty"`
	// Errors makes the agent's model fail.
	Errors string `json:"errors,omitempty"`
	// Long makes the agent talk for some seconds; it serves abort and concurrency.
	Long string `json:"long,omitempty"`
}

// Question is a prompt that pauses the agent, and two decisions.
type Question struct {
	Prompt  string          `json:"prompt"`
	Approve json.RawMessage `json:"approve"`
	Decline json.RawMessage `json:"decline"`
	// Done is a regular expression for what an agent says, or its tool returns,
	// only when it did what was approved. Without it any answer counts.
	Done string `json:"done,omitempty"`
}

// maxScenario bounds a scenario file in bytes.
const maxScenario = 1 << 20

var scenarioName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// Scenarios lists the scenarios that come with the program.
func Scenarios() []string {
	entries, err := shipped.ReadDir("scenarios")
	if err != nil {
		return nil // the folder is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// LoadScenario returns the shipped scenario of that name, or reads a file: a name
// with a slash, a backslash or a dot in it is one.
func LoadScenario(nameOrFile string) (Scenario, error) {
	if slices.Contains(Scenarios(), nameOrFile) {
		raw, err := shipped.ReadFile(path.Join("scenarios", nameOrFile+".json"))
		if err != nil {
			return Scenario{}, fmt.Errorf("scenario %s: %w", nameOrFile, err)
		}
		return parseNamed(nameOrFile, raw)
	}
	if !strings.ContainsAny(nameOrFile, `/\.`) {
		return Scenario{}, fmt.Errorf("no scenario is named %q; there are %s, or give the path of a JSON file of your own",
			nameOrFile, strings.Join(Scenarios(), ", "))
	}
	f, err := os.Open(nameOrFile)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxScenario+1))
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %s: %w", nameOrFile, err)
	}
	if len(raw) > maxScenario {
		return Scenario{}, fmt.Errorf("scenario %s: larger than 1 MB", nameOrFile)
	}
	return parseNamed(nameOrFile, raw)
}

func parseNamed(name string, raw []byte) (Scenario, error) {
	s, err := ParseScenario(raw)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %s: %w", name, err)
	}
	return s, nil
}

// ParseScenario reads and checks a scenario. Its errors name the member at fault.
func ParseScenario(raw []byte) (Scenario, error) {
	var s Scenario
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			line := 1 + bytes.Count(raw[:min(int(syntax.Offset), len(raw))], []byte("\n"))
			return Scenario{}, fmt.Errorf("line %d is not JSON: %w", line, err)
		case errors.As(err, &kind):
			return Scenario{}, fmt.Errorf("%s must not be a JSON %s", kind.Field, kind.Value)
		}
		return Scenario{}, fmt.Errorf("not a scenario: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Scenario{}, errors.New("something follows the JSON object")
	}
	return s, s.Validate()
}

// Validate names the first member that cannot be used.
func (s Scenario) Validate() error {
	if !scenarioName.MatchString(s.Name) {
		return errors.New("name must be a word of a-z, 0-9 and dashes")
	}
	switch s.Transport {
	case "", interrupt.TransportAuto, interrupt.TransportProtocol, interrupt.TransportMastraCommand, interrupt.TransportLegacyCommand:
	default:
		return fmt.Errorf("transport must be auto, protocol, mastra-command or legacy-command, not %q", s.Transport)
	}
	if len(s.Messages) == 0 {
		return errors.New("messages must hold at least one prompt")
	}
	for _, list := range []struct {
		name    string
		prompts []string
	}{{"messages", s.Messages}, {"state", s.State}} {
		for i, prompt := range list.prompts {
			if strings.TrimSpace(prompt) == "" {
				return fmt.Errorf("%s[%d] must not be empty", list.name, i)
			}
		}
		if len(list.prompts) > maxPrompts {
			return fmt.Errorf("%s must not hold more than %d prompts", list.name, maxPrompts)
		}
	}
	if q := s.Interrupts; q != nil {
		switch {
		case strings.TrimSpace(q.Prompt) == "":
			return errors.New("interrupts.prompt must not be empty")
		case len(q.Approve) == 0:
			return errors.New("interrupts.approve is missing: the decision, as JSON, that lets the agent go on")
		case len(q.Decline) == 0:
			return errors.New("interrupts.decline is missing: the decision, as JSON, that refuses")
		}
		if _, err := regexp.Compile(q.Done); err != nil {
			return fmt.Errorf("interrupts.done: %w", err)
		}
	}
	return nil
}

// maxPrompts bounds a conversation of a scenario.
const maxPrompts = 10

// done is the expression that proves the approved thing, nil when there is none.
func (q *Question) done() *regexp.Regexp {
	if q == nil || q.Done == "" {
		return nil
	}
	re, err := regexp.Compile(q.Done)
	if err != nil {
		return nil // Validate has refused it
	}
	return re
}
