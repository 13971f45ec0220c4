// Command bench measures what the client costs per event, beside the protocol's
// own client on the same files in the same run; what the agent service costs, beside
// what its like on Node did; and what the app costs: its log, beside the disk it is
// on, the whole way of an event from the agent to the tabs, and memory. It prints one
// line for each figure that has a goal. It judges nothing else: it exits 0 also when
// a figure is short, and writes only its JSON and a temporary directory.
//
// Times on a shared machine swing by a factor of two; that is why both clients
// take turns, the best of several turns counts, and most goals are ratios.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"cairn/internal/peer"
)

func main() {
	rounds := flag.Int("rounds", 8, "turns each client gets")
	out := flag.String("json", "bench.json", "where to write the figures, empty for nowhere")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, max(*rounds, 1), *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, rounds int, jsonPath string) error {
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run it in the directory of go.mod")
	}
	dir, err := os.MkdirTemp("", "cairn-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	r := report{Machine: machine(), Rounds: rounds}
	fmt.Println(r.Machine)
	timer, err := startPeer(ctx, &r)
	if err != nil {
		return err
	}
	if timer != nil {
		defer timer.Close()
	}
	files, err := writeFiles(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Printf("· %s: %s\n", f.name, f.what)
		s, err := against(timer, f, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		r.Speeds = append(r.Speeds, s)
		if f.goal > 0 {
			r.Figures = append(r.Figures, s.figure(f.goal))
		}
	}
	for _, f := range flatness() {
		fmt.Printf("· %s: %s\n", f.name, f.what)
		measured, err := f.measure(timer, dir, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		r.Growth = append(r.Growth, measured)
		if f.goal > 0 {
			r.Figures = append(r.Figures, measured.figure(f.goal))
		}
	}
	allocs, err := allocations()
	if err != nil {
		return err
	}
	r.Figures = append(r.Figures, allocs)
	for _, f := range files[:2] {
		kept, err := memory(f)
		if err != nil {
			return err
		}
		r.Figures = append(r.Figures, kept)
	}
	fmt.Println("· the agent service: boot, memory, first frames")
	if r.Host, err = measureHost(ctx, dir, rounds); err != nil {
		return fmt.Errorf("agent service: %w", err)
	}
	r.Figures = append(r.Figures, r.Host.figures()...)
	fmt.Println("· the log of threads: appends that are on the disk, wakes, replay")
	logged, err := measureLog(ctx, dir, rounds)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	r.Figures = append(r.Figures, logged...)
	fmt.Println("· threads of 1,000, 10,000 and 100,000 events: cold, and while their sessions are kept")
	if r.Warm, err = measureWarm(ctx, dir); err != nil {
		return fmt.Errorf("long threads: %w", err)
	}
	r.Figures = append(r.Figures, warmFigures(r.Warm)...)
	fmt.Println("· the whole way of an event, from the agent to the tab")
	if r.Live, err = measureLive(ctx, dir, rounds); err != nil {
		return fmt.Errorf("the way to the tab: %w", err)
	}
	if r.Weight, err = measureWeight(ctx, dir); err != nil {
		return fmt.Errorf("memory of tabs and threads: %w", err)
	}
	r.Figures = append(r.Figures, r.Live.figures()...)
	r.Figures = append(r.Figures, r.Weight.figures()...)
	fmt.Println("· hostile answers through a server process, beside a bystander")
	if r.Harm, err = measureHostile(ctx, dir); err != nil {
		return fmt.Errorf("hostile answers: %w", err)
	}
	r.Figures = append(r.Figures, r.Harm.figures()...)
	r.print(os.Stdout)
	if jsonPath == "" {
		return nil
	}
	return r.write(jsonPath)
}

// startPeer returns nil where the peer cannot run, and says so.
func startPeer(ctx context.Context, r *report) (*peer.Timer, error) {
	version, err := peer.Version(ctx, ".")
	if errors.Is(err, peer.ErrMissing) {
		fmt.Println("the peer was not run, so figures against it count as short:", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.Peer = "@ag-ui/client " + version
	fmt.Println("peer:", r.Peer)
	return peer.NewTimer(ctx, ".")
}
