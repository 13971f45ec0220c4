package demos

import (
	"fmt"
	"strconv"

	"cairn/components"
)

// packingPanel is the packing list beside the chat. The real runtime's deltas pass
// through half-written lists (measured: a blanked title, rows removed and added
// again), so during a run the list only grows.
type packingPanel struct {
	list   held[packingList]
	before map[string]bool // item names when the run began
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
func (p *packingPanel) Update(s Shared) {
	if s.Running && !p.list.running {
		p.before = p.list.shown.names()
	}
	live, _ := member[packingList](s.State, "packing_list")
	p.list.update(live, s.Running)
}

// follows implements part: every row is complete and every shown one is kept, and
// the title is not the shown one cut short.
func (l packingList) follows(shown packingList) bool {
	names := l.names()
	for _, it := range l.Items {
		if it.Name == "" || it.Qty == nil {
			return false
		}
	}
	for _, it := range shown.Items {
		if !names[it.Name] {
			return false
		}
	}
	return l.Title != "" && !cutShort(l.Title, shown.Title)
}

// View implements Panel.
func (p *packingPanel) View() components.Panel {
	list := components.PackingList{
		Title: p.list.shown.Title,
		Empty: "No list yet. As the agent writes one, it appears here, item by item.",
	}
	for _, it := range p.list.shown.Items {
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
		Updating: p.list.updating(),
		Body:     components.PackingListView(list),
	}
	switch n := len(p.list.shown.Items); {
	case p.list.shown.Title == "":
	case n == 1:
		v.Summary = p.list.shown.Title + " · 1 item"
	default:
		v.Summary = fmt.Sprintf("%s · %d items", p.list.shown.Title, n)
	}
	return v
}

// complete implements part: it is the list without rows that lack a name or a quantity; a list
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
