package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"cairn/agentclient"
	"cairn/agenthost"
	"cairn/agenthost/sqlite"
	"cairn/agenthost/trip"
	"cairn/internal/config"
	"cairn/internal/datadir"
)

// agentDB is the agent service's file inside data/agent.
const agentDB = "agent.db"

// Run serves the agent until the context ends.
func (c *agentRunCmd) Run(a *app) error {
	if err := c.Validate(); err != nil {
		return err
	}
	ln, err := listen(c.Addr, "CAIRN_AGENT_ADDR")
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(a.ctx)
	if err := serveAgent(ctx, a, group, ln, c.Data, c.Token, c.Model); err != nil {
		ln.Close()
		return err
	}
	fmt.Fprintf(a.out, "the agent service is ready: http://%s/agent/%s\n", ln.Addr(), trip.Topic)
	return group.Wait()
}

// embedded is an agent service inside this process.
type embedded struct {
	url   string
	token agentclient.Secret
}

// startAgent runs the agent service on a free loopback port with a token nobody
// else knows.
func startAgent(ctx context.Context, a *app, group *errgroup.Group, data string, m config.Model) (*embedded, error) {
	ln, err := listen("127.0.0.1:0", "CAIRN_ADDR")
	if err != nil {
		return nil, err
	}
	token := agentclient.Secret(rand.Text())
	if err := serveAgent(ctx, a, group, ln, data, token, m); err != nil {
		ln.Close()
		return nil, err
	}
	return &embedded{url: fmt.Sprintf("http://%s/agent/%s", ln.Addr(), trip.Topic), token: token}, nil
}

// serveAgent adds the agent service to the group: its store, its model and its
// listener end with ctx.
func serveAgent(ctx context.Context, a *app, group *errgroup.Group, ln net.Listener, data string, token agentclient.Secret, m config.Model) error {
	dir, err := datadir.Open(data, "agent")
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, dir.File(agentDB))
	if err != nil {
		dir.Close()
		return fmt.Errorf("open the agent's store: %w", err)
	}
	model := agenthost.ModelConfig{BaseURL: m.BaseURL, APIKey: agenthost.Secret(m.APIKey.Reveal()), Model: m.Name}
	if m.Scripted() {
		if model.BaseURL, err = startModel(ctx, a, group); err != nil {
			return errors.Join(err, store.Close(), dir.Close())
		}
	}
	srv, err := agenthost.New(agenthost.Config{
		Token:  agenthost.Secret(token.Reveal()),
		Agents: map[string]*agenthost.Agent{trip.Topic: trip.New(store)},
		Store:  store,
		Model:  model,
		Logger: a.logger,
	})
	if err != nil {
		return errors.Join(err, store.Close(), dir.Close())
	}
	group.Go(func() error { // ends with ctx
		err := serveHTTP(ctx, ln, srv, func(stop context.Context) { _ = srv.Shutdown(stop) })
		return errors.Join(err, store.Close(), dir.Close())
	})
	return nil
}

type agentReservationsCmd struct {
	Data string `env:"CAIRN_DATA" default:"./data" type:"path" help:"Data directory of the service."`
}

// Run prints the ledger, also while the service runs.
func (c *agentReservationsCmd) Run(a *app) error {
	bookings, err := sqlite.Reservations(a.ctx, filepath.Join(c.Data, "agent", agentDB))
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	enc := json.NewEncoder(a.out)
	for _, b := range bookings {
		if err := enc.Encode(b); err != nil {
			return err
		}
	}
	return nil
}
