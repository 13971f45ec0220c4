package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
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

// maxRunBytes bounds the answer of an upstream to one run: what is stored of it is folded in
// memory when its conversation is opened.
const maxRunBytes = 32 << 20

// agentURLDemo is the one that AG_UI_AGENT_URL is about.
const agentURLDemo = "mastra"

// upstreams are the demos that have an agent, and those agents.
type upstreams struct {
	demos  []demos.Demo
	agents map[string]runner.Upstream
	// status is small print on the page, models are badges; both by demo.
	status, models map[string]string
	// errors are, by the demos whose agents are trusted to word their errors, what is
	// shown of such a text.
	errors map[string]func(string) string
	reach  *reach.Checker
	// about is for the terminal, a line for each.
	about string
}

// upstreams connects each demo with the agent that the configuration names, or with
// the service inside, which then is started. A demo without an agent is not shown.
func (c *serveCmd) upstreams(ctx context.Context, a *app, group *errgroup.Group) (*upstreams, error) {
	configured, err := c.configured(a)
	if err != nil {
		return nil, err
	}
	ups := &upstreams{agents: map[string]runner.Upstream{}, status: map[string]string{}, models: map[string]string{}, errors: map[string]func(string) string{}}
	urls := map[string]string{}
	var inside *embedded
	var own []string // the demos that it serves
	for _, d := range demos.All() {
		up, ok := configured[d.Slug]
		if ok {
			urls[d.Slug] = up.URL
			a.secrets.Add(agentclient.URLSecrets(up.URL)...)
			ups.status[d.Slug] = "External agent"
			if up.ShowErrors {
				ups.errors[d.Slug] = a.secrets.Mask
			}
			ups.about += fmt.Sprintf("  agent  %s at %s\n", d.Slug, agentclient.RedactURL(up.URL))
		} else {
			if inside == nil {
				if inside, err = startAgent(ctx, a, group, c.Data, c.Model, c.Bounds); err != nil {
					return nil, err
				}
			}
			if up = (config.Upstream{URL: inside.urls[d.Slug], Token: inside.token}); up.URL == "" {
				continue
			}
			own = append(own, d.Slug)
		}
		client, err := agentclient.New(agentclient.Config{
			URL: up.URL, Token: up.Token, TokenHeader: up.TokenHeader, Logger: a.logger,
			ConnectTimeout: up.ConnectTimeout, StallTimeout: cmp.Or(up.StallTimeout, stallWait),
			MaxBytes: maxRunBytes,
		})
		if err != nil {
			return nil, fmt.Errorf("agent of %s: %w", d.Slug, err)
		}
		d.Transport = cmp.Or(interrupt.Transport(up.Interrupts), d.Transport)
		ups.demos = append(ups.demos, d)
		ups.agents[d.Slug] = runner.Upstream{Agent: client, Transport: d.Transport, Profile: d.Profile}
	}
	ups.describeEmbedded(own, c.Model)
	if ups.reach, err = reach.New(urls); err != nil {
		return nil, err
	}
	for slug, up := range ups.agents {
		up.Agent = reported{up.Agent, slug, ups.reach}
		ups.agents[slug] = up
	}
	ups.reach.Check(ctx) // so that the first page says it
	return ups, nil
}

// describeEmbedded says that the demos talk to the service inside.
func (ups *upstreams) describeEmbedded(slugs []string, m config.Model) {
	if len(slugs) == 0 {
		return
	}
	about := "on the model " + m.Name
	for _, slug := range slugs {
		ups.status[slug] = "Embedded agent · " + m.Name
		if m.Scripted() {
			ups.models[slug] = "scripted model"
			ups.status[slug] = "Embedded agent · scripted model"
			about = "on the built-in scripted model (set OPENAI_API_KEY to use a real one)"
		}
	}
	ups.about += fmt.Sprintf("  agent  %s embedded, %s\n", strings.Join(slugs, ", "), about)
}

// configured are the upstreams of the configuration, by demo.
func (c *serveCmd) configured(a *app) (map[string]config.Upstream, error) {
	byDemo := map[string]config.Upstream{}
	if c.AgentURL != "" {
		byDemo[agentURLDemo] = config.Upstream{Demo: agentURLDemo, URL: c.AgentURL, Token: c.Token}
	}
	if c.Upstreams == "" {
		return byDemo, nil
	}
	var slugs []string
	for _, d := range demos.All() {
		slugs = append(slugs, d.Slug)
	}
	all, err := config.ReadUpstreams(c.Upstreams, slugs, a.secretEnv)
	if err != nil {
		return nil, err
	}
	for _, up := range all {
		byDemo[up.Demo] = up
	}
	return byDemo, nil
}
