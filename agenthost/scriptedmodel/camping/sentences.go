package camping

import (
	"fmt"
	"slices"
	"strings"

	"cairn/agenthost/scriptedmodel/camping/understand"
	"cairn/agenthost/scriptedmodel/script"
)

// changed returns what was done to the list, given what it is now.
func changed(changes []understand.Change, now packingList) string {
	var parts []string
	for _, c := range changes {
		parts = append(parts, changePhrase(c, now))
	}
	return understand.Capital(script.And(parts)) + "."
}

func changePhrase(c understand.Change, now packingList) string {
	switch c.Op {
	case understand.Start:
		s := "started your packing list"
		if c.Title != "" {
			s = "started your " + strings.TrimSuffix(strings.TrimSuffix(c.Title, " list"), " List") + " list"
		}
		if len(c.Items) > 0 {
			s += " with " + script.And(each(c.Items, counted))
		}
		return s
	case understand.Add:
		return "added " + script.And(each(c.Items, counted))
	case understand.Ensure: // true whether they were there or not
		return "put " + script.And(each(c.Items, counted)) + " on the list"
	case understand.Remove:
		return "removed " + script.And(each(c.Items, func(it understand.Item) string {
			if it.Qty == 0 || now.find(it.Name) < 0 {
				return named(it)
			}
			return counted(it)
		}))
	case understand.Set:
		return script.And(each(c.Items, func(it understand.Item) string {
			if it.Qty == 0 {
				return "removed " + named(it)
			}
			return fmt.Sprintf("set %s to %d", plural(it.Name), it.Qty)
		}))
	case understand.AddEach, understand.Double:
		return script.And(each(c.Items, func(it understand.Item) string {
			at := now.find(it.Name)
			if at < 0 {
				return "removed " + named(it)
			}
			return fmt.Sprintf("set %s to %d", plural(it.Name), now.Items[at].Qty)
		}))
	case understand.Replace:
		return "replaced " + script.And(each(c.Items, named)) + " with " + script.And(each(c.With, counted))
	case understand.RenameItem:
		return "renamed " + script.And(each(c.Items, named)) + " to " + script.And(each(c.With, func(it understand.Item) string { return it.Name }))
	case understand.RenameList:
		return "renamed the list to " + c.Title
	case understand.KeepOnly:
		return "kept only " + script.And(each(c.Items, named))
	case understand.Clear:
		return "cleared the list"
	}
	return "updated the list"
}

func each(items []understand.Item, f func(understand.Item) string) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = f(it)
	}
	return out
}

func named(it understand.Item) string { return "the " + it.Name }

func plural(name string) string { return understand.Plural(name) }

// counted says an item with its quantity: "a tent", "two sleeping bags".
func counted(it understand.Item) string {
	if it.Qty > 1 {
		return understand.Count(it.Qty) + " " + plural(it.Name)
	}
	if understand.IsMass(it.Name) {
		return it.Name
	}
	low := strings.ToLower(it.Name)
	if strings.ContainsRune("aeio", rune(low[0])) || strings.HasPrefix(low, "um") || strings.HasPrefix(low, "un") && !strings.HasPrefix(low, "uni") {
		return "an " + it.Name
	}
	return "a " + it.Name
}

func notOnList(names []string) string {
	if len(names) == 0 {
		return "There is nothing to change on your list."
	}
	singular := make([]string, len(names))
	for i, n := range names {
		singular[i] = understand.Singular(n)
	}
	return noneOf + strings.Join(singular, andNone) + onList
}

const noneOf, andNone, onList = "There is no ", " and no ", " on your list."

// missingIn reads notOnList's sentence back: it is how the step after a call
// knows what the call could not change, as the memory has changed since.
func missingIn(said string) []string {
	names, ok := strings.CutPrefix(said, noneOf)
	if !ok {
		return nil
	}
	return strings.Split(strings.TrimSuffix(names, onList), andNone)
}

// without drops the named items from changes, and changes left with none.
func without(changes []understand.Change, names []string) []understand.Change {
	if len(names) == 0 {
		return changes
	}
	var out []understand.Change
	for _, c := range changes {
		had := len(c.Items)
		if c.Op != understand.Start && c.Op != understand.Add && c.Op != understand.Ensure {
			c.Items = slices.DeleteFunc(slices.Clone(c.Items), func(it understand.Item) bool {
				return slices.Contains(names, understand.Singular(it.Name))
			})
		}
		if had == 0 || len(c.Items) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// describe returns what is on the list.
func describe(l packingList) string {
	title := l.Title
	if title == "" {
		title = defaultTitle
	}
	if len(l.Items) == 0 {
		if l.Title == "" {
			return "You have no packing list yet."
		}
		return title + " is empty."
	}
	var parts []string
	for _, it := range l.Items {
		parts = append(parts, counted(understand.Item{Name: it.Name, Qty: it.Qty}))
	}
	return title + " has " + script.And(parts) + "."
}

func countOf(l packingList, name string) string {
	at := l.find(name)
	if at < 0 {
		return notOnList([]string{name})
	}
	it := l.Items[at]
	return "You have " + counted(understand.Item{Name: it.Name, Qty: it.Qty}) + " on your list."
}
