package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"cairn/agentclient"
	"cairn/agenthost"
	"cairn/agenthost/expense"
	"cairn/agenthost/meeting"
	"cairn/agenthost/refund"
	"cairn/agenthost/sqlite"
	"cairn/agenthost/trip"
	"cairn/agenthost/trip/ledger"
	"cairn/internal/config"
	"cairn/internal/datadir"
)

// agentDB is the file inside data/agent with the agent service's store and, in a table
// of their own, the trip planner's bookings.
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
	topics, err := serveAgent(ctx, a, group, ln, c.Data, c.Token, c.Model, c.Bounds)
	if err != nil {
		ln.Close()
		return err
	}
	said := "the agent service is ready: "
	for _, topic := range topics {
		fmt.Fprintf(a.out, "%s%s\n", said, endpoint(ln, topic))
		said = strings.Repeat(" ", len(said))
	}
	return group.Wait()
}

// endpoint is where a topic is served.
func endpoint(ln net.Listener, topic string) string {
	return fmt.Sprintf("http://%s/agent/%s", ln.Addr(), topic)
}

// served is an agent and the topic it is found under, which is its demo's slug where
// there is a demo.
type served struct {
	topic string
	agent *agenthost.Agent
}

// agents are all the service serves, one for each runtime's way of speaking.
func agents(bookings trip.Ledger) []served {
	return []served{
		{trip.Topic, trip.New(bookings)},
		{meeting.Topic, meeting.New()},
		{expense.Topic, expense.New()},
		{refund.Topic, refund.New(false)},
		{refund.NativeTopic, refund.New(true)},
	}
}

// embedded is an agent service inside this process.
type embedded struct {
	urls  map[string]string // by topic
	token agentclient.Secret
}

// startAgent runs the agent service on a free loopback port with a token nobody
// else knows.
func startAgent(ctx context.Context, a *app, group *errgroup.Group, data string, m config.Model, b config.Bounds) (*embedded, error) {
	ln, err := listen("127.0.0.1:0", "CAIRN_ADDR")
	if err != nil {
		return nil, err
	}
	token := agentclient.Secret(rand.Text())
	a.secrets.Add(token.Reveal())
	topics, err := serveAgent(ctx, a, group, ln, data, token, m, b)
	if err != nil {
		ln.Close()
		return nil, err
	}
	urls := map[string]string{}
	for _, topic := range topics {
		urls[topic] = endpoint(ln, topic)
	}
	return &embedded{urls: urls, token: token}, nil
}

// serveAgent adds the agent service to the group and returns its topics: its store,
// its model and its listener end with ctx.
func serveAgent(ctx context.Context, a *app, group *errgroup.Group, ln net.Listener, data string, token agentclient.Secret, m config.Model, b config.Bounds) (topics []string, err error) {
	dir, err := datadir.Open(data, "agent")
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, dir.File(agentDB))
	if err != nil {
		dir.Close()
		return nil, fmt.Errorf("open the agent's store: %w", err)
	}
	bookings, err := ledger.Open(ctx, dir.File(agentDB))
	if err != nil {
		return nil, errors.Join(err, store.Close(), dir.Close())
	}
	model := agenthost.ModelConfig{BaseURL: m.BaseURL, APIKey: agenthost.Secret(m.APIKey.Reveal()), Model: m.Name}
	if m.Scripted() {
		if model.BaseURL, err = startModel(ctx, a, group); err != nil {
			return nil, errors.Join(err, bookings.Close(), store.Close(), dir.Close())
		}
	}
	byTopic := map[string]*agenthost.Agent{}
	for _, s := range agents(bookings) {
		byTopic[s.topic] = s.agent
		topics = append(topics, s.topic)
	}
	srv, err := agenthost.New(agenthost.Config{
		Token:  agenthost.Secret(token.Reveal()),
		Agents: byTopic,
		Store:  store,
		Model:  model,
		Logger: a.logger,

		RunTimeout: b.RunTimeout, MaxOutput: b.MaxOutput,
	})
	if err != nil {
		return nil, errors.Join(err, bookings.Close(), store.Close(), dir.Close())
	}
	group.Go(func() error { // ends with ctx
		err := a.serveHTTP(ctx, ln, srv, func(stop context.Context) { _ = srv.Shutdown(stop) })
		return errors.Join(err, bookings.Close(), store.Close(), dir.Close())
	})
	return topics, nil
}

type agentReservationsCmd struct {
	Data string `env:"CAIRN_DATA" default:"./data" type:"path" help:"Data directory of the service."`
}

// Run prints the ledger, also while the service runs.
func (c *agentReservationsCmd) Run(a *app) error {
	bookings, err := ledger.List(a.ctx, filepath.Join(c.Data, "agent", agentDB))
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
