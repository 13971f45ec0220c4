package camping

import (
	"encoding/json"
	"strings"
)

// memoryMark introduces the working memory in a system message.
const memoryMark = "Current working memory (JSON):"

// remembered reads the working memory out of the first system message that has
// one. That one is the host's; later ones may carry context from the client.
func remembered(systems []string) memory {
	for _, text := range systems {
		if json, ok := afterMark(text); ok {
			return readMemory(json)
		}
		if _, data, ok := strings.Cut(text, memoryOpen); ok && strings.Contains(text, "updateWorkingMemory") {
			data, _, _ = strings.Cut(data, memoryClose)
			return readMemory(data)
		}
	}
	return memory{}
}

// memoryOpen and memoryClose stand around the working memory in Mastra's own
// instructions, each on a line of its own.
const memoryOpen, memoryClose = "\n<working_memory_data>\n", "\n</working_memory_data>"

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
func (m memory) with(list packingList) map[string]any {
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
