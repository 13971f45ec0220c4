package matrix

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/internal/probe"
)

func open(t *testing.T) *Transcripts {
	t.Helper()
	all, err := OpenTranscripts(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEveryCellLeadsToItsTranscripts: each surface that was measured has links, each
// link a page with what was sent and what came, and every transcript that the
// evidence names is one of the runtime's.
func TestEveryCellLeadsToItsTranscripts(t *testing.T) {
	all := open(t)
	page, err := Page(all)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range page.Runtimes {
		known := map[string]bool{}
		for _, row := range page.Rows {
			c := row.Cells[i]
			if c.Status != "not probed" && len(c.Transcripts) == 0 {
				t.Errorf("%s %s leads nowhere", r.Name, row.Surface)
			}
			for _, l := range c.Transcripts {
				known[strings.SplitN(strings.TrimPrefix(l.URL, "/matrix/"+r.ID+"/"), "-", 2)[0]] = true
				p, err := all.Page(r.ID, strings.TrimPrefix(l.URL, "/matrix/"+r.ID+"/"))
				if err != nil {
					t.Fatalf("%s: %v", l.URL, err)
				}
				if p.Sent == "" || p.Raw != "" && p.Frames == nil && p.Body == "" {
					t.Errorf("%s is empty", l.URL)
				}
				if p.Raw != "" {
					if raw, err := all.Raw(r.ID, strings.TrimPrefix(p.Raw, "/matrix/"+r.ID+"/")); err != nil || len(raw) == 0 {
						t.Errorf("%s: %d bytes, %v", p.Raw, len(raw), err)
					}
				}
			}
		}
		for _, row := range page.Rows {
			for _, m := range regexp.MustCompile(`\[(\d\d)`).FindAllStringSubmatch(row.Cells[i].Detail, -1) {
				if !known[m[1]] {
					t.Errorf("%s %s names [%s], which no link leads to", r.Name, row.Surface, m[1])
				}
			}
		}
	}
}

// TestTranscriptPage: the frames, when they came, and the breaches, each at its frame.
func TestTranscriptPage(t *testing.T) {
	all := open(t)
	p, err := all.Page("strands", "06-interrupts-ask")
	if err != nil {
		t.Fatal(err)
	}
	if p.Before.Number != 5 || p.After.Number != 7 || len(p.Frames) < 20 {
		t.Errorf("between %d and %d, %d frames", p.Before.Number, p.After.Number, len(p.Frames))
	}
	first, last := p.Frames[0], p.Frames[len(p.Frames)-1]
	if first.Type != "RUN_STARTED" || last.Type != "RUN_FINISHED" || last.At == "" || first.Number != 1 {
		t.Errorf("from %+v to %+v", first, last)
	}
	committed, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range committed {
		for _, v := range r.Violations {
			xs := all.indexes[r.ID].Exchanges
			i := slices.IndexFunc(xs, func(x probe.Exchange) bool { return x.Number == v.Exchange })
			p, err := all.Page(r.ID, xs[i].File)
			if err != nil {
				t.Fatal(err)
			}
			if v.Frame < 1 || v.Frame > len(p.Frames) {
				continue
			}
			if f := p.Frames[v.Frame-1]; !strings.Contains(f.Breach, v.Text) {
				t.Errorf("%s [%d] frame %d does not say %q but %q", r.ID, v.Exchange, v.Frame, v.Text, f.Breach)
			}
		}
	}
}

func TestNoTranscript(t *testing.T) {
	all := open(t)
	for _, name := range [][2]string{{"nobody", "01-messages-prompt-1"}, {"strands", "01"}, {"strands", "../mastra/01-messages-prompt-1"}} {
		if _, err := all.Page(name[0], name[1]); !errors.Is(err, ErrNoTranscript) {
			t.Errorf("%v: %v", name, err)
		}
	}
	for _, file := range []string{"06-interrupts-ask.body", "06-interrupts-ask.request.json", "recording.json", "."} {
		if _, err := all.Raw("strands", file); !errors.Is(err, ErrNoTranscript) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
