package matrix

import "fmt"

// Differences returns where a new measurement of a runtime has another status than
// the committed one, one sentence each. What was measured besides may differ:
// times and ids always do.
func Differences(committed, measured Runtime) []string {
	var all []string
	now := map[string]string{}
	for _, s := range measured.Surfaces {
		now[s.Name] = string(s.Status)
	}
	for _, s := range committed.Surfaces {
		if now[s.Name] != string(s.Status) {
			all = append(all, fmt.Sprintf("%s: %s was %s, is %s", committed.ID, s.Name, s.Status, orNothing(now[s.Name])))
		}
		delete(now, s.Name)
	}
	for _, s := range measured.Surfaces { // in order, unlike the map
		if status, ok := now[s.Name]; ok {
			all = append(all, fmt.Sprintf("%s: %s was not measured, is %s", committed.ID, s.Name, status))
		}
	}
	return all
}

func orNothing(status string) string {
	if status == "" {
		return "not measured"
	}
	return status
}
