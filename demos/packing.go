package demos

import (
	"fmt"
	"strconv"

	"cairn/agentclient/jsonpatch"
	"cairn/components"
)

// packingPanel is the packing list beside the chat. The real runtime's deltas pass
// through half-written lists (measured: a blanked title, rows removed and added
// again), so during a run the list only grows.
type packingPanel struct {
	list   stablePanel[packingList]
	before map[string]bool // item names when the run began, if all of them were read

	last cached[packingList]
	rows []cached[packingRow]
}

// packingList is the list as far as it is read.
type packingList struct {
	Title string
	Items []packingItem
	More  int // items that are not read
}

type packingItem struct {
	Name string
	Qty  *float64
}

// packingRow is an item; other is true when it is none.
type packingRow struct {
	packingItem
	other bool
}

// Update implements Panel.
func (p *packingPanel) Update(s Shared) {
	if s.Running && !p.list.running {
		p.before = nil
		if p.list.shown.More == 0 {
			p.before = p.list.shown.names()
		}
	}
	p.list.update(p.last.of(s.State.Member("packing_list"), p.read), s.Running)
}

// read reads the rows that have changed.
func (p *packingPanel) read(v jsonpatch.Value) packingList {
	f := fieldsOf(v)
	items, more := f.list("items")
	l := packingList{Title: f.text("title"), More: more}
	i := 0
	for _, item := range items.All() {
		if i == maxRows {
			break
		}
		if i == len(p.rows) {
			p.rows = append(p.rows, cached[packingRow]{})
		}
		row := p.rows[i].of(item, readPackingRow)
		f.other = f.other || row.other
		l.Items = append(l.Items, row.packingItem)
		i++
	}
	p.rows = p.rows[:i]
	if f.other {
		return packingList{}
	}
	return l
}

func readPackingRow(v jsonpatch.Value) packingRow {
	f := fieldsOf(v)
	it := packingItem{Name: textOf(f.member("name", jsonpatch.KindString), maxShown), Qty: f.number("qty")}
	return packingRow{it, f.other}
}

// count is how many items the list has.
func (l packingList) count() int { return len(l.Items) + l.More }

// follows implements part: every row is complete and every shown one is kept, as far as
// they are read, and the title is not the shown one cut short.
func (l packingList) follows(shown packingList) bool {
	names := l.names()
	for _, it := range l.Items {
		if it.Name == "" || it.Qty == nil {
			return false
		}
	}
	for _, it := range shown.Items {
		if !names[it.Name] && l.More == 0 {
			return false
		}
	}
	if l.More+shown.More > 0 && l.count() < shown.count() {
		return false
	}
	return l.Title != "" && !cutShort(l.Title, shown.Title)
}

// View implements Panel.
func (p *packingPanel) View() components.Panel {
	shown := p.list.shown
	list := components.PackingList{
		Title: clip(shown.Title),
		Empty: "No list yet. As the agent writes one, it appears here, item by item.",
	}
	room := maxPanel
	for _, it := range shown.Items {
		if room -= len(it.Name); room < 0 {
			break
		}
		list.Items = append(list.Items, components.PackingItem{
			Name: it.Name,
			Qty:  clipTo(strconv.FormatFloat(*it.Qty, 'f', -1, 64), maxWord),
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
	if more := shown.count() - len(list.Items); more > 0 {
		v.Body = footed{v.Body, andMore(more)}
	}
	switch n := shown.count(); {
	case shown.Title == "":
	case n == 1:
		v.Summary = clip(shown.Title) + " · 1 item"
	default:
		v.Summary = fmt.Sprintf("%s · %d items", clip(shown.Title), n)
	}
	return v
}

// complete implements part: it is the list without rows that lack a name or a quantity; a list
// without a title is no list.
func (l packingList) complete() packingList {
	if l.Title == "" {
		return packingList{}
	}
	out := packingList{Title: l.Title, More: l.More}
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
