package agenthost

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"cairn/agenthost/dialect"
)

// Agent is a model with instructions and what it may use. Build it once; it is
// read-only afterwards and serves any number of runs.
type Agent struct {
	// Name is used for a child's tool, unless As says otherwise, and in logs.
	Name string
	// Description is what a parent's model reads to decide when to delegate to this agent.
	Description string
	// Instructions begin the first system message of every request.
	Instructions string
	Tools        []*Tool
	// Children are agents this one may delegate to. They see the prompt of the
	// delegation only, not the conversation, and have no working memory.
	Children []*Agent
	// As is the tool that a parent's model calls to delegate to this agent; nil is
	// "agent-<Name>" with a prompt.
	As *Handover
	// Memory is the schema of the working memory, an object that is also the state
	// shared with the client. The model writes it. A thread without a memory adopts the
	// client's state. The zero schema means that the agent has no memory.
	Memory Schema
	// Shared is the schema of a shared state, an object that only tools write, with
	// [Call.Share]. The state that a client sends is ignored, so the state can show what
	// was done. An agent has Memory or Shared or neither.
	Shared Schema
	// After is a tool that the service calls when the model has answered, with the
	// shared state as its arguments. It may suspend. Its value is the run's closing
	// text, a string, or nil for none. It needs Shared.
	After *Tool
	// Dialect is how runs are put on the wire; nil is [dialect.Protocol]. Choose one of
	// the imitated runtimes for clients that rely on its habits.
	Dialect dialect.Dialect
}

// memoryTool is the name of the built-in tool that replaces working memory.
const memoryTool = "updateWorkingMemory"

// toolName matches the names that the Chat Completions API accepts.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// validate returns the first mistake in a definition.
func (a *Agent) validate() error {
	if a.Name == "" {
		return errors.New("an agent has no name")
	}
	if a.Instructions == "" {
		return fmt.Errorf("agent %s has no instructions", a.Name)
	}
	if a.Memory.err != nil {
		return fmt.Errorf("agent %s: memory schema: %w", a.Name, a.Memory.err)
	}
	if err := a.validateShared(); err != nil {
		return err
	}
	seen := map[string]bool{memoryTool: true}
	claim := func(name string) error {
		if !toolName.MatchString(name) {
			return fmt.Errorf("agent %s: %q is no tool name", a.Name, name)
		}
		if seen[name] {
			return fmt.Errorf("agent %s: two tools are called %s", a.Name, name)
		}
		seen[name] = true
		return nil
	}
	tools := a.Tools
	if a.After != nil {
		tools = append(slices.Clone(tools), a.After)
	}
	for _, t := range tools {
		if err := errors.Join(t.Input.err, t.Resume.err); err != nil {
			return fmt.Errorf("agent %s: tool %s: schema: %w", a.Name, t.Name, err)
		}
		if err := claim(t.Name); err != nil {
			return err
		}
	}
	for _, c := range a.Children {
		if err := c.validate(); err != nil {
			return err
		}
		if err := c.handover().Input.err; err != nil {
			return fmt.Errorf("agent %s: handover schema: %w", c.Name, err)
		}
		if err := claim(c.handover().name); err != nil {
			return err
		}
		if c.hasState() || len(c.Children) > 0 || c.After != nil {
			return fmt.Errorf("agent %s: a child has neither state nor children of its own", c.Name)
		}
	}
	return nil
}

func (a *Agent) validateShared() error {
	switch {
	case a.Shared.err != nil:
		return fmt.Errorf("agent %s: schema of the shared state: %w", a.Name, a.Shared.err)
	case a.hasMemory() && !a.Shared.isZero():
		return fmt.Errorf("agent %s: its state is written by the model or by tools, not both", a.Name)
	case a.After != nil && a.Shared.isZero():
		return fmt.Errorf("agent %s: what follows its answer works on a shared state, which it lacks", a.Name)
	}
	return nil
}

func (a *Agent) hasMemory() bool { return !a.Memory.isZero() }

// hasState reports whether the agent shares a state with the client.
func (a *Agent) hasState() bool { return a.hasMemory() || !a.Shared.isZero() }

// checkState returns an error when a shared state does not fit the schema.
func (a *Agent) checkState(m map[string]any) error {
	if a.hasMemory() {
		return a.Memory.checkValue(m)
	}
	return a.Shared.checkValue(m)
}

// isMemoryTool reports whether the name is that of the built-in tool, which no
// definition may replace.
func (a *Agent) isMemoryTool(name string) bool { return name == memoryTool && a.hasMemory() }

func (a *Agent) tool(name string) *Tool {
	for _, t := range a.Tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// suspendingTool returns the tool that an interrupt is of, nil when the agent has no such
// tool or it cannot suspend.
func (a *Agent) suspendingTool(name string) *Tool {
	t := a.tool(name)
	if a.isAfter(name) {
		t = a.After
	}
	if t == nil || t.Resume.isZero() {
		return nil
	}
	return t
}

func (a *Agent) isAfter(name string) bool { return a.After != nil && a.After.Name == name }

func (a *Agent) child(name string) *Agent {
	for _, c := range a.Children {
		if c.handover().name == name {
			return c
		}
	}
	return nil
}

func (a *Agent) dialect() dialect.Dialect {
	if a.Dialect == nil {
		return dialect.Protocol{}
	}
	return a.Dialect
}
