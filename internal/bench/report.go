package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// figure is one number that has a goal. Ratio is what the goal compares: to the
// peer, to the small case, to the size of the content, or for allocations the
// number itself. It is nil-like, 0, when it was not measured.
type figure struct {
	Name     string
	Value    float64
	Unit     string
	Peer     float64 `json:",omitzero"`
	PeerUnit string  `json:",omitzero"`
	Ratio    float64
	Goal     string
	Pass     bool
}

func (f figure) String() string {
	peer, ratio, verdict := "-", "-", "short"
	if f.Peer > 0 {
		peer = number(f.Peer) + f.PeerUnit
	}
	if f.Ratio > 0 {
		ratio = fmt.Sprintf("%.2f", f.Ratio)
	}
	if f.Pass {
		verdict = "pass"
	}
	return fmt.Sprintf("figure %s %s%s peer=%s ratio=%s goal=%s %s", f.Name, number(f.Value), f.Unit, peer, ratio, f.Goal, verdict)
}

func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// speed is one file under both clients. Times are nanoseconds for each event.
type speed struct {
	Name, What          string
	Events, Bytes       int
	Scan, Valid, Tokens float64
	ours, peers         []turn
}

func (s speed) figure(goal float64) figure {
	f := figure{Name: s.Name, Value: 1e9 / best(s.ours), Unit: "ev/s", Goal: fmt.Sprintf(">=%g", goal)}
	if len(s.peers) > 0 {
		f.Peer, f.PeerUnit = 1e9/best(s.peers), "ev/s"
		f.Ratio = f.Value / f.Peer
		f.Pass = f.Ratio >= goal
	}
	return f
}

// growth is one situation small and large, in nanoseconds for each event.
type growth struct {
	Name, What   string
	small, large []turn
	peers        [2][]turn // small and large
}

func (g growth) figure(goal float64) figure {
	ratio := best(g.large) / best(g.small)
	f := figure{Name: g.Name, Value: best(g.large), Unit: "ns/ev", Ratio: ratio, Goal: fmt.Sprintf("<=%g", goal), Pass: ratio <= goal}
	if len(g.peers[1]) > 0 {
		f.Peer, f.PeerUnit = best(g.peers[1]), "ns/ev"
	}
	return f
}

type report struct {
	Machine string
	Peer    string
	Rounds  int
	Figures []figure
	Speeds  []speed
	Growth  []growth
	Host    *host `json:",omitzero"`
	Live    *live `json:",omitzero"`
	Weight  weight
	Warm    []warmth
	Harm    *harm `json:",omitzero"`
}

// print writes the tables a person reads and then the lines a program does.
func (r report) print(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(to, "\nµs per event, best (median) of %d turns; cpu counts all threads of the process\n", r.Rounds)
	fmt.Fprintln(w, "file\tevents\tours\tours cpu\tpeer\tpeer cpu\tfaster by\tscan for newlines\tjson.Valid\tjson tokens\t")
	for _, s := range r.Speeds {
		peer, peerCPU, faster := "-", "-", "-"
		if len(s.peers) > 0 {
			peer = micro(best(s.peers), median(s.peers))
			peerCPU = micro(bestCPU(s.peers))
			faster = fmt.Sprintf("%.0f (%.0f)", best(s.peers)/best(s.ours), median(s.peers)/median(s.ours))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, s.Events,
			micro(best(s.ours), median(s.ours)), micro(bestCPU(s.ours)), peer, peerCPU, faster, micro(s.Scan), micro(s.Valid), micro(s.Tokens))
	}
	_ = w.Flush() // to a terminal or a pipe; there is nobody to tell
	fmt.Fprintln(to)
	fmt.Fprintln(w, "growth\tsmall\tlarge\tlarge/small\tpeer small\tpeer large\tlarge/small\t")
	for _, g := range r.Growth {
		peer := "-\t-\t-"
		if small, large := g.peers[0], g.peers[1]; len(large) > 0 {
			peer = fmt.Sprintf("%s\t%s\t%.2f", micro(best(small)), micro(best(large)), best(large)/best(small))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f (%.2f)\t%s\t\n", g.Name, micro(best(g.small), median(g.small)), micro(best(g.large), median(g.large)),
			best(g.large)/best(g.small), median(g.large)/median(g.small), peer)
	}
	_ = w.Flush()
	fmt.Fprintln(to)
	if r.Host != nil {
		r.Host.print(to)
	}
	if r.Live != nil {
		r.Live.print(to, r.Weight)
	}
	printWarm(to, r.Warm)
	if r.Harm != nil {
		r.Harm.print(to)
	}
	for _, f := range r.Figures {
		fmt.Fprintln(to, f)
	}
}

func micro(nanos ...float64) string {
	out := fmt.Sprintf("%.2f", nanos[0]/1000)
	if len(nanos) > 1 {
		out += fmt.Sprintf(" (%.2f)", nanos[1]/1000)
	}
	return out
}

func (r report) write(path string) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write figures: %w", err)
	}
	if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
		return fmt.Errorf("write figures: %w", err)
	}
	return nil
}

// MarshalJSON adds the turns, summed up.
func (s speed) MarshalJSON() ([]byte, error) {
	type plain speed
	return json.Marshal(struct {
		plain
		Ours, Peer *summary `json:",omitzero"`
	}{plain(s), summarise(s.ours), summarise(s.peers)})
}

func (g growth) MarshalJSON() ([]byte, error) {
	type plain growth
	return json.Marshal(struct {
		plain
		Small, Large         *summary
		PeerSmall, PeerLarge *summary `json:",omitzero"`
	}{plain(g), summarise(g.small), summarise(g.large), summarise(g.peers[0]), summarise(g.peers[1])})
}

// summary is turns in nanoseconds for each event.
type summary struct{ Best, Median, BestCPU float64 }

func summarise(turns []turn) *summary {
	if len(turns) == 0 {
		return nil
	}
	return &summary{best(turns), median(turns), bestCPU(turns)}
}

// machine is a line on what it was measured on.
func machine() string {
	cpu := runtime.GOARCH
	info, _ := os.ReadFile("/proc/cpuinfo") // not everywhere
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			cpu = strings.TrimSpace(value)
			break
		}
	}
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = ", load " + strings.Fields(string(text))[0]
	}
	return fmt.Sprintf("%s, %s, %d × %s, %s%s", time.Now().Format(time.DateOnly), runtime.GOOS, runtime.NumCPU(), cpu, runtime.Version(), load)
}
