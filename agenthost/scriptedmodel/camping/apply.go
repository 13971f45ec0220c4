package camping

import (
	"slices"
	"strings"

	"cairn/agenthost/scriptedmodel/camping/understand"
)

const defaultTitle = "Packing list"

// apply makes the changes to a copy of the list. It returns nil when nothing
// would change, the names that were to be changed but are not on the list, and
// a sentence if a limit stands in the way of all of it.
func apply(list packingList, changes []understand.Change) (next *packingList, missing []string, problem string) {
	l := packingList{Title: list.Title, Items: slices.Clone(list.Items)}
	touched := false
	for _, c := range changes {
		m, t := l.change(c)
		missing = append(missing, m...)
		touched = touched || t
	}
	if l.Title == "" {
		l.Title = defaultTitle
	}
	// Limits hold for what this change adds; what was there before may stay.
	if len(l.Items) > max(understand.MaxItems, len(list.Items)) {
		return nil, nil, "That is more than the 100 items a list can hold, so I changed nothing."
	}
	for _, it := range l.Items {
		limit := understand.MaxQty
		if at := list.exact(it.Name); at >= 0 {
			limit = max(limit, list.Items[at].Qty)
		}
		if it.Qty > limit {
			return nil, nil, "I can put 1 to 999 of an item on the list, so I changed nothing."
		}
	}
	if !touched {
		return nil, missing, ""
	}
	return &l, missing, ""
}

// change makes one change; touched is false when it found nothing to change.
func (l *packingList) change(c understand.Change) (missing []string, touched bool) {
	switch c.Op {
	case understand.Start:
		l.Title, l.Items = c.Title, nil
		for _, it := range c.Items {
			l.add(it)
		}
		return nil, true
	case understand.RenameList:
		l.Title = c.Title
		return nil, true
	case understand.Clear:
		l.Items = nil
		return nil, true
	case understand.KeepOnly:
		return l.keepOnly(c.Items)
	case understand.Replace, understand.RenameItem:
		return l.replace(c)
	}
	for _, it := range c.Items {
		at := l.find(it.Name)
		if at < 0 && c.Op != understand.Add && c.Op != understand.Ensure && (c.Op != understand.Set || it.Qty == 0) {
			missing = append(missing, it.Name)
			continue
		}
		touched = true
		switch c.Op {
		case understand.Add:
			l.add(it)
		case understand.Ensure, understand.Set:
			if c.Op == understand.Ensure {
				at = l.exact(it.Name)
			}
			if at < 0 {
				l.add(it)
			} else {
				l.setQty(at, it.Qty)
			}
		case understand.Remove:
			if it.Qty == 0 {
				l.setQty(at, 0)
			} else {
				l.setQty(at, l.Items[at].Qty-it.Qty)
			}
		case understand.AddEach:
			l.setQty(at, l.Items[at].Qty+it.Qty)
		case understand.Double:
			l.setQty(at, l.Items[at].Qty*2)
		}
	}
	return missing, touched
}

func (l *packingList) add(it understand.Item) {
	if at := l.exact(it.Name); at >= 0 {
		l.Items[at].Qty += it.Qty
		return
	}
	l.Items = append(l.Items, item{Name: it.Name, Qty: max(it.Qty, 1)})
}

func (l *packingList) setQty(at, qty int) {
	if qty < 1 {
		l.Items = slices.Delete(l.Items, at, at+1)
		return
	}
	l.Items[at].Qty = qty
}

func (l *packingList) keepOnly(keep []understand.Item) (missing []string, touched bool) {
	var kept []item
	for _, k := range keep {
		if at := l.find(k.Name); at >= 0 {
			it := l.Items[at]
			if k.Qty > 1 {
				it.Qty = k.Qty
			}
			kept = append(kept, it)
		} else {
			missing = append(missing, k.Name)
		}
	}
	if kept == nil {
		return missing, false
	}
	l.Items = kept
	return missing, true
}

func (l *packingList) replace(c understand.Change) (missing []string, touched bool) {
	for i, old := range c.Items {
		at := l.find(old.Name)
		if at < 0 {
			missing = append(missing, old.Name)
			continue
		}
		touched = true
		was := l.Items[at]
		if i > 0 {
			l.setQty(at, 0)
			continue
		}
		l.setQty(at, 0)
		for _, w := range c.With {
			if w.Qty == 0 {
				w.Qty = 1
			}
			if c.Op == understand.RenameItem {
				w.Qty = was.Qty
			}
			if l.exact(w.Name) >= 0 {
				l.add(w)
				continue
			}
			l.Items = slices.Insert(l.Items, min(at, len(l.Items)), item{Name: w.Name, Qty: w.Qty})
			at++
		}
	}
	return missing, touched
}

// exact finds the item of that name, in singular or plural; -1 means none.
func (l *packingList) exact(name string) int {
	key := understand.Key(name)
	return slices.IndexFunc(l.Items, func(it item) bool { return understand.Key(it.Name) == key })
}

// find is exact, and failing that the only item whose name ends in the words:
// "bags" finds the sleeping bags.
func (l *packingList) find(name string) int {
	if at := l.exact(name); at >= 0 {
		return at
	}
	key, found := " "+understand.Key(name), -1
	for i, it := range l.Items {
		if strings.HasSuffix(understand.Key(it.Name), key) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}
