package demos

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"cairn/components"
)

// packingPanel is the packing list beside the chat. While a run goes on the real
// runtime's deltas pass through half-written lists (measured: a blanked title,
// rows removed and added again), so the panel holds the last complete list and
// only lets it grow; when the run ends, what the state says counts.
type packingPanel struct {
	shown   packingList
	before  map[string]bool // item names when the run began
	running bool
	differs bool // the live state is not what is shown
}

type packingList struct {
	Title string        `json:"title"`
	Items []packingItem `json:"items"`
}

type packingItem struct {
	Name string   `json:"name"`
	Qty  *float64 `json:"qty"`
}

// Update implements Panel.
func (p *packingPanel) Update(state json.RawMessage, running bool) {
	if running && !p.running {
		p.before = p.shown.names()
	}
	p.running = running
	live, ok := readPacking(state)
	if !running {
		p.shown, p.differs = live.complete(), false
		return
	}
	if ok && live.Title != "" && p.grows(live) {
		p.shown = live
		p.differs = false
		return
	}
	p.differs = true
}

// grows reports that showing the list loses nothing that is shown: it is
// complete, keeps every row, and its title is not the shown one cut short.
func (p *packingPanel) grows(live packingList) bool {
	names := live.names()
	for _, it := range live.Items {
		if it.Name == "" || it.Qty == nil {
			return false
		}
	}
	for _, it := range p.shown.Items {
		if !names[it.Name] {
			return false
		}
	}
	return live.Title == p.shown.Title || !strings.HasPrefix(p.shown.Title, live.Title)
}

// View implements Panel.
func (p *packingPanel) View() components.Panel {
	list := components.PackingList{
		Title: p.shown.Title,
		Empty: "No list yet. As the agent writes one, it appears here, item by item.",
	}
	for _, it := range p.shown.Items {
		list.Items = append(list.Items, components.PackingItem{
			Name: it.Name,
			Qty:  strconv.FormatFloat(*it.Qty, 'f', -1, 64),
			New:  len(p.before) > 0 && !p.before[it.Name],
		})
	}
	v := components.Panel{
		Heading:  "Shared state — packing list",
		Summary:  "No packing list yet",
		TestID:   "packing-state",
		Updating: p.running && p.differs,
		Body:     components.PackingListView(list),
	}
	switch n := len(p.shown.Items); {
	case p.shown.Title == "":
	case n == 1:
		v.Summary = p.shown.Title + " · 1 item"
	default:
		v.Summary = fmt.Sprintf("%s · %d items", p.shown.Title, n)
	}
	return v
}

// readPacking narrows the state to its packing list; ok is false when a member
// has another shape.
func readPacking(state json.RawMessage) (packingList, bool) {
	var s struct {
		List packingList `json:"packing_list"`
	}
	if err := json.Unmarshal(state, &s); err != nil {
		return packingList{}, false
	}
	return s.List, true
}

// complete is the list without rows that lack a name or a quantity; a list
// without a title is no list.
func (l packingList) complete() packingList {
	if l.Title == "" {
		return packingList{}
	}
	out := packingList{Title: l.Title}
	for _, it := range l.Items {
		if it.Name != "" && it.Qty != nil {
			out.Items = append(out.Items, it)
		}
	}
	return out
}

func (l packingList) names() map[string]bool {
	m := map[string]bool{}
	for _, it := range l.Items {
		m[it.Name] = true
	}
	return m
}
