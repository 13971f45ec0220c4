// Command player is an agent for the browser tests. With --scenario it plays
// captured streams and checks every request against it; with --hostile it sends
// what no agent should, and ends slow answers at POST /player/finish. It serves POST /agent/mastra and GET /ok like an agent
// service, and for the tests GET /player/errors (the mismatches as a JSON list)
// and POST /player/reset.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cairn/agentclient/agenttest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "listen address; port 0 takes a free one")
	scenario := flag.String("scenario", "", "scenario file to play")
	hostile := flag.Bool("hostile", false, "be hostile; the message says how")
	token := flag.String("token", "", "token every request must carry in X-Internal-Token")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *scenario, *hostile, *token); err != nil {
		fmt.Fprintln(os.Stderr, "player:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, addr, scenario string, hostile bool, token string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ok", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]bool{"ok": true}) })
	switch {
	case hostile:
		h := newHostile(token)
		mux.Handle("POST /agent/mastra", h)
		mux.HandleFunc("POST /player/finish", h.finished)
	case scenario != "":
		sc, err := agenttest.Load(scenario)
		if err != nil {
			return err
		}
		sc.Token = token
		player, err := agenttest.NewPlayer(sc)
		if err != nil {
			return err
		}
		mux.Handle("/", player)
		mux.HandleFunc("GET /player/errors", func(w http.ResponseWriter, _ *http.Request) {
			list := []string{}
			for _, e := range player.Errors() {
				list = append(list, e.Error())
			}
			answer(w, list)
		})
		mux.HandleFunc("GET /player/steps", func(w http.ResponseWriter, _ *http.Request) {
			list := []string{}
			for _, r := range player.Requests() {
				list = append(list, r.Step)
			}
			answer(w, list)
		})
		mux.HandleFunc("POST /player/reset", func(w http.ResponseWriter, _ *http.Request) {
			player.Reset()
			w.WriteHeader(http.StatusNoContent)
		})
	default:
		return errors.New("give --scenario FILE or --hostile")
	}

	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }() // ended by Close below
	fmt.Printf("player: http://%s\n", ln.Addr())
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return srv.Close()
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a lost answer is the test's to notice
}
