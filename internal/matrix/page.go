package matrix

import (
	"fmt"
	"maps"
	"slices"

	"cairn/components"
	"cairn/internal/probe"
)

// Page lays out the committed matrix, a row for each surface, with links to what it
// is computed from; it has no shell.
func Page(t *Transcripts) (components.MatrixPage, error) {
	var p components.MatrixPage
	all, err := Load()
	if err != nil {
		return p, err
	}
	for i, r := range all {
		p.Runtimes = append(p.Runtimes, components.MatrixRuntime{
			ID: r.ID, Name: r.Name, Versions: versions(r.Versions), Date: r.Date.Format("2006-01-02"),
			Requests: r.Sent, Embedded: r.embedded(), Violations: violations(r.Violations),
		})
		for j, surface := range r.Surfaces {
			if i == 0 {
				p.Rows = append(p.Rows, components.MatrixRow{Surface: surface.Name})
			}
			if j >= len(p.Rows) || p.Rows[j].Surface != surface.Name {
				return p, fmt.Errorf("matrix: %s has other surfaces than %s", r.ID, all[0].ID)
			}
			p.Rows[j].Cells = append(p.Rows[j].Cells, cell(surface, t.links(r.ID, surface.Name)))
		}
	}
	return p, nil
}

func cell(s probe.Surface, links []components.TranscriptLink) components.MatrixCell {
	c := components.MatrixCell{Status: string(s.Status), Detail: s.Detail, Transcripts: links}
	if s.Cause != probe.CauseNone {
		c.Cause = string(s.Cause)
	}
	return c
}

func versions(of map[string]string) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, name+" "+of[name])
	}
	return all
}

func violations(of []probe.Violation) (all []string) {
	for _, v := range of {
		all = append(all, fmt.Sprintf("[%02d] frame %d, rule %s: %s", v.Exchange, v.Frame, v.Rule, v.Text))
	}
	return all
}
