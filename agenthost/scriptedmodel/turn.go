package scriptedmodel

import (
	"encoding/json"
	"slices"
	"strings"
)

// turn is what counts of a request: who the model is, what it remembers, what
// the user said last, and the tools it has called since with their results.
type turn struct {
	forecaster bool
	memory     memory
	question   string // the assistant's last words before the user's
	user       string
	steps      []step
	tools      []tool
}

// step is one tool call of this turn and its result.
type step struct {
	tool, args, result string
	said               string // the model's own words in front of the call
}

// memoryMark introduces the working memory in a system message.
const memoryMark = "Current working memory (JSON):"

func readTurn(req *chatRequest) turn {
	t := turn{tools: req.Tools}
	if string(req.ToolChoice) == `"none"` {
		t.tools = nil
	}
	lastUser, first, remembered := -1, true, false
	for i, m := range req.Messages {
		switch m.Role {
		case "system", "developer":
			text := string(m.Content)
			if first {
				t.forecaster, first = isForecaster(text), false
			}
			// The first one is the host's; later system messages may carry
			// context from the client.
			if json, ok := afterMark(text); ok && !remembered {
				t.memory, remembered = readMemory(json), true
			}
		case "user":
			lastUser = i
		}
	}
	if lastUser < 0 {
		return t
	}
	t.user = string(req.Messages[lastUser].Content)
	for _, m := range slices.Backward(req.Messages[:lastUser]) {
		if m.Role == "assistant" && len(m.ToolCalls) == 0 {
			t.question = string(m.Content)
		}
		if m.Role == "assistant" || m.Role == "user" {
			break
		}
	}
	calls, said := map[string]toolCall{}, map[string]string{}
	for _, m := range req.Messages[lastUser+1:] {
		for _, c := range m.ToolCalls {
			calls[c.ID], said[c.ID] = c, string(m.Content)
		}
		if m.Role == "tool" {
			c := calls[m.ToolCallID]
			t.steps = append(t.steps, step{tool: c.Function.Name, args: c.Function.Arguments, result: string(m.Content), said: said[c.ID]})
		}
	}
	return t
}

// afterMark returns what follows the mark at the start of a line. A title or
// an item's name cannot fake such a line, because JSON strings hold no newline.
func afterMark(system string) (string, bool) {
	at := 0
	for line := range strings.Lines(system) {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), memoryMark); ok {
			return rest + system[at+len(line):], true
		}
		at += len(line)
	}
	return "", false
}

// isForecaster tells the child from its parent. The parent's instructions name
// the child, so the parent is looked for first.
func isForecaster(system string) bool {
	low := strings.ToLower(system)
	return !strings.Contains(low, "trip planner") && strings.Contains(low, "weather forecaster")
}

// offered returns the offered tool with that name, or failing that one whose
// name ends in it, as runtimes put prefixes in front of a child agent's name.
func (t turn) offered(name string) (tool, bool) {
	for _, x := range t.tools {
		if x.Function.Name == name {
			return x, true
		}
	}
	for _, x := range t.tools {
		if strings.HasSuffix(x.Function.Name, name) {
			return x, true
		}
	}
	return tool{}, false
}

// memory is the working memory: the packing list, and members the script does
// not know and hands back untouched.
type memory struct {
	list   packingList
	others map[string]json.RawMessage
}

type packingList struct {
	Title string `json:"title"`
	Items []item `json:"items"`
}

type item struct {
	Name string `json:"name"`
	Qty  int    `json:"qty"`
}

// readMemory reads the JSON value at the front of text. Memory that cannot be
// read counts as empty, and so does each member and item of the wrong shape.
func readMemory(text string) memory {
	var m memory
	if json.NewDecoder(strings.NewReader(text)).Decode(&m.others) != nil {
		return memory{}
	}
	var list struct {
		Title json.RawMessage
		Items []json.RawMessage
	}
	_ = json.Unmarshal(m.others["packing_list"], &list) // keeps what it could read
	_ = json.Unmarshal(list.Title, &m.list.Title)
	for _, raw := range list.Items {
		var it struct {
			Name string
			Qty  float64
		}
		if json.Unmarshal(raw, &it) == nil && it.Name != "" && it.Qty >= 1 && it.Qty < 1e6 {
			m.list.Items = append(m.list.Items, item{Name: it.Name, Qty: int(it.Qty)})
		}
	}
	return m
}

// with is the arguments of updateWorkingMemory that store the list.
func (m memory) with(list packingList) any {
	if list.Items == nil {
		list.Items = []item{}
	}
	all := map[string]any{}
	for k, v := range m.others {
		all[k] = v
	}
	all["packing_list"] = list
	return map[string]any{"memory": all}
}
