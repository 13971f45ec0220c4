package agenthost

import (
	"errors"
	"fmt"
	"regexp"

	"cairn/agenthost/dialect"
)

// Agent is a model with instructions and what it may use. Build it once; it is
// read-only afterwards and serves any number of runs.
type Agent struct {
	// Name is used for a child's tool, "agent-<Name>", and in logs.
	Name string
	// Description tells a parent's model when to delegate to this agent.
	Description string
	// Instructions begin the first system message of every request.
	Instructions string
	Tools        []*Tool
	// Children are agents this one may delegate to. They see the prompt of the
	// delegation only, not the conversation, and have no working memory.
	Children []*Agent
	// Memory is the schema of the working memory, an object that is also the
	// state shared with the client. Absent: the agent has none.
	Memory Schema
	// Dialect is how runs are put on the wire; nil is [dialect.Mastra].
	Dialect dialect.Dialect
}

// memoryTool is the name of the built-in tool that replaces working memory.
const memoryTool = "updateWorkingMemory"

// delegationPrefix begins the name of a tool that stands for a child agent.
const delegationPrefix = "agent-"

// toolName is what the Chat Completions API accepts.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// validate finds mistakes in a definition before the first run meets them.
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
	for _, t := range a.Tools {
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
		if err := claim(delegationPrefix + c.Name); err != nil {
			return err
		}
		if !c.Memory.IsZero() || len(c.Children) > 0 {
			return fmt.Errorf("agent %s: a child has neither memory nor children of its own", c.Name)
		}
	}
	return nil
}

func (a *Agent) hasMemory() bool { return !a.Memory.IsZero() }

// isMemoryTool reports the built-in tool, which no definition may replace.
func (a *Agent) isMemoryTool(name string) bool { return name == memoryTool && a.hasMemory() }

func (a *Agent) tool(name string) *Tool {
	for _, t := range a.Tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (a *Agent) child(name string) *Agent {
	for _, c := range a.Children {
		if delegationPrefix+c.Name == name {
			return c
		}
	}
	return nil
}

func (a *Agent) dialect() dialect.Dialect {
	if a.Dialect == nil {
		return dialect.Mastra{}
	}
	return a.Dialect
}
