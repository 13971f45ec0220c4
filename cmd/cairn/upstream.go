package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/demos"
	"cairn/internal/config"
	"cairn/internal/reach"
	"cairn/internal/runner"
)

// stallWait bounds an upstream that has gone silent with the connection open.
const stallWait = 2 * time.Minute

// embeddedDemo is the one the agent service inside can serve.
const embeddedDemo = "mastra"

// upstreams are the demos that have an agent, and those agents.
type upstreams struct {
	demos  []demos.Demo
	agents map[string]runner.Upstream
	// status is small print on the page, models are badges; both by demo.
	status, models map[string]string
	reach          *reach.Checker
	// about is for the terminal, a line for each.
	about string
}

// upstreams connects each demo with the agent that the configuration names; the
// camping demo has the one inside otherwise. A demo without an agent is not shown.
func (c *serveCmd) upstreams(ctx context.Context, a *app, group *errgroup.Group) (*upstreams, error) {
	configured, err := c.configured()
	if err != nil {
		return nil, err
	}
	ups := &upstreams{agents: map[string]runner.Upstream{}, status: map[string]string{}, models: map[string]string{}}
	urls := map[string]string{}
	for _, d := range demos.All() {
		up, ok := configured[d.Slug]
		switch {
		case ok:
			urls[d.Slug] = up.URL
			ups.status[d.Slug] = "External agent"
			ups.about += fmt.Sprintf("  agent  %s at %s\n", d.Slug, up.URL)
		case d.Slug == embeddedDemo:
			inside, err := startAgent(ctx, a, group, c.Data, c.Model)
			if err != nil {
				return nil, err
			}
			up = config.Upstream{URL: inside.url, Token: inside.token}
			ups.describeEmbedded(d.Slug, c.Model)
		default:
			continue
		}
		client, err := agentclient.New(agentclient.Config{
			URL: up.URL, Token: up.Token, TokenHeader: up.TokenHeader, Logger: a.logger,
			ConnectTimeout: up.ConnectTimeout, StallTimeout: cmp.Or(up.StallTimeout, stallWait),
		})
		if err != nil {
			return nil, fmt.Errorf("agent of %s: %w", d.Slug, err)
		}
		d.Transport = cmp.Or(interrupt.Transport(up.Interrupts), d.Transport)
		ups.demos = append(ups.demos, d)
		ups.agents[d.Slug] = runner.Upstream{Agent: client, Transport: d.Transport, Profile: d.Profile}
	}
	if ups.reach, err = reach.New(urls); err != nil {
		return nil, err
	}
	ups.reach.Check(ctx) // so that the first page says it
	return ups, nil
}

func (ups *upstreams) describeEmbedded(demo string, m config.Model) {
	ups.status[demo] = "Embedded agent · " + m.Name
	about := "on the model " + m.Name
	if m.Scripted() {
		ups.models[demo] = "scripted model"
		ups.status[demo] = "Embedded agent · scripted model"
		about = "on the built-in scripted model (set OPENAI_API_KEY to use a real one)"
	}
	ups.about += fmt.Sprintf("  agent  %s embedded, %s\n", demo, about)
}

// configured are the upstreams of the configuration, by demo.
func (c *serveCmd) configured() (map[string]config.Upstream, error) {
	byDemo := map[string]config.Upstream{}
	if c.AgentURL != "" {
		byDemo[embeddedDemo] = config.Upstream{Demo: embeddedDemo, URL: c.AgentURL, Token: c.Token}
	}
	if c.Upstreams == "" {
		return byDemo, nil
	}
	var slugs []string
	for _, d := range demos.All() {
		slugs = append(slugs, d.Slug)
	}
	all, err := config.ReadUpstreams(c.Upstreams, slugs, os.Getenv)
	if err != nil {
		return nil, err
	}
	for _, up := range all {
		byDemo[up.Demo] = up
	}
	return byDemo, nil
}
