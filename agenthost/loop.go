package agenthost

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cairn/agui"
)

// loop asks the model until it answers without a call for the service, and ends the run.
func (x *run) loop(ctx context.Context) error {
	tools, err := toolParams(x.offer())
	if err != nil {
		return err
	}
	appContext := x.context()
	x.ids.add(x.messages)
	for range x.host.cfg.MaxSteps {
		ans, err := x.host.model.ask(ctx, x.prompt(appContext), tools, x.ids, &parentListener{x})
		if err != nil {
			return err
		}
		x.count(ans.usage)
		x.messages = append(x.messages, ans.said())
		if len(ans.calls) == 0 {
			return x.conclude(ctx)
		}
		ended, err := x.act(ctx, ans.calls)
		if err != nil || ended {
			return err
		}
		x.writer.Step()
	}
	return errStepLimit
}

// offer returns the tools that the model may call: the agent's tools and children, its
// memory, and the tools that the client runs, each name once.
func (x *run) offer() []offered {
	tools := offerTools(x.agent.Tools)
	for _, c := range x.agent.Children {
		h := c.handover()
		tools = append(tools, offered{h.name, h.description, h.Input.raw})
	}
	if x.agent.hasMemory() {
		tools = append(tools, offered{memoryTool, "Replace the working memory. Give the whole new memory; lists are replaced whole.",
			fmt.Appendf(nil, `{"type":"object","properties":{"memory":%s},"required":["memory"],"additionalProperties":false}`, x.agent.Memory.raw)})
	}
	listed := make(map[string]bool, len(x.clientTools))
	for _, t := range x.in.Tools {
		if x.clientTools[t.Name] && !listed[t.Name] {
			listed[t.Name] = true
			tools = append(tools, offered{t.Name, t.Description, clientParameters(t)})
		}
	}
	return tools
}

func offerTools(tools []*Tool) []offered {
	var list []offered
	for _, t := range tools {
		list = append(list, offered{t.Name, t.Description, t.Input.raw})
	}
	return list
}

// clientTools returns the names of the tools that the client runs. A client's tool
// cannot have the name of one of ours.
func clientTools(a *Agent, offered []agui.Tool) map[string]bool {
	names := make(map[string]bool, len(offered))
	for _, t := range offered {
		names[t.Name] = true
	}
	for _, t := range a.Tools {
		delete(names, t.Name)
	}
	for _, c := range a.Children {
		delete(names, c.handover().name)
	}
	if a.After != nil {
		delete(names, a.After.Name)
	}
	if a.hasMemory() {
		delete(names, memoryTool)
	}
	return names
}

func clientParameters(t agui.Tool) []byte {
	if len(t.Parameters) == 0 {
		return []byte(`{"type":"object"}`)
	}
	return t.Parameters
}

// context returns the context that the application sent with the request, if any.
func (x *run) context() []Message {
	if len(x.in.Context) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("Context from the application:")
	for _, c := range x.in.Context {
		fmt.Fprintf(&b, "\n- %s: %s", c.Description, c.Value)
	}
	return []Message{{Role: "system", Content: b.String()}}
}

// prompt returns the conversation for the model: the instructions with the current
// memory, the application's context, then the messages.
func (x *run) prompt(appContext []Message) []Message {
	system := x.agent.Instructions
	if x.agent.hasMemory() {
		system += "\n\nWorking memory is shared with the user. To change it call " + memoryTool +
			" with the whole new memory.\nCurrent working memory (JSON): " + string(x.memory.Snapshot())
	}
	return slices.Concat([]Message{{Role: "system", Content: system}}, appContext, x.messages)
}

// addCall counts a tool call of the model.
func (x *run) addCall() error {
	if x.calls++; x.calls > x.host.cfg.MaxRunCalls {
		return errCallLimit
	}
	return nil
}

// parentListener sends the model's answer while it streams. Calls of the service's own
// tools are sent when they run.
type parentListener struct{ x *run }

func (l *parentListener) text(delta string) error { return l.x.emit(l.x.writer.Text(delta)) }

func (l *parentListener) reasoning(delta string) error { return l.x.reason(delta) }

func (l *parentListener) callStarted(c ToolCall) error {
	if err := l.x.addCall(); err != nil {
		return err
	}
	switch {
	case l.x.agent.isMemoryTool(c.Name):
		l.x.memory.Begin(c.ID)
		if snapshot := l.x.memory.Open(); snapshot != nil {
			return l.x.emit(l.x.writer.Snapshot(snapshot))
		}
	case l.x.clientTools[c.Name]:
		return l.x.emit(l.x.writer.ClientCall(c.ID, c.Name))
	}
	return nil
}

func (l *parentListener) callArgs(c ToolCall, delta string) error {
	switch {
	case l.x.agent.isMemoryTool(c.Name):
		patches, err := l.x.memory.Write(c.ID, delta)
		if err != nil {
			return err
		}
		return l.x.emitPatches(patches)
	case l.x.clientTools[c.Name]:
		return l.x.emit(l.x.writer.ClientArgs(c.ID, delta))
	}
	return nil
}
