package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/demos"
	"cairn/internal/probe"
)

// Exit codes of `cairn probe` besides 0.
const (
	exitBroken  = 1
	exitNoProbe = 2
)

type probeCmd struct {
	URL         string             `arg:"" help:"The endpoint runs are posted to, like http://127.0.0.1:8081/agent/mastra."`
	Scenario    string             `env:"CAIRN_PROBE_SCENARIO" default:"mastra" help:"What to say: mastra, strands, maf, langgraph, langgraph-native, or the path of a JSON file."`
	Token       agentclient.Secret `name:"token" env:"AG_UI_INTERNAL_TOKEN" help:"Token of the endpoint; without one, none is sent and auth is not probed. Where an answer repeats one of eight bytes or more, [secret] is kept instead. Prefer the environment variable."`
	TokenHeader string             `name:"token-header" env:"CAIRN_PROBE_TOKEN_HEADER" default:"X-Internal-Token" help:"Header that carries the token; with Authorization it goes as a bearer token."`
	Record      string             `env:"CAIRN_PROBE_RECORD" type:"path" placeholder:"DIR" help:"Keep every request and answer in this directory: a new or empty one, or that of an earlier recording, which is replaced."`
	Version     map[string]string  `env:"CAIRN_PROBE_VERSION" placeholder:"NAME=VERSION" help:"What runs behind the endpoint, for the recording; may be given several times, in the variable with ; between."`
	Silence     time.Duration      `env:"CAIRN_PROBE_SILENCE" default:"1m" help:"Longest wait for the next byte of an answer."`
	JSON        bool               `name:"json" help:"Print the matrix as one JSON document."`
}

// Help is what --help says below the summary.
func (probeCmd) Help() string {
	return `Drives an AG-UI endpoint surface by surface: messages, tools, state, interrupts (approve, decline, wrong id, repeated answer, missing answer, plain message while one is pending), subagents, errors, abort, two runs at once on one thread, wrong bodies, and, when a token is given, requests without it. Every stream is verified against the protocol. Printed is the matrix: for each surface its status (supported, partial, absent, broken, not probed), where a gap comes from (protocol, upstream bridge, ours), and the transcripts that show it; then what was measured besides, and every violation with its frame and rule. The criteria are in the documentation of cairn/internal/probe.

The number of requests is told before the first and never exceeded. Some of them make the agent act: the scenario's approvals are given for real, on threads of their own.

A scenario file is JSON: name, transport (auto, protocol, mastra-command, legacy-command), messages (prompts), tools (a prompt that calls a tool), state (prompts that change the state), interrupts {prompt, approve, decline, done}, subagents, errors (a prompt that makes the model fail), long (a prompt answered for some seconds). approve and decline are the decisions as JSON; done is a regular expression that only shows when the approved thing was done. A surface without a prompt is not probed. The shipped scenarios' errors and long work with ` + "`cairn model`" + `.

Progress goes to standard error. Exit code: 0 nothing is broken, 1 a surface is broken, 2 it could not be probed: nothing answers, the token is wrong, or what answers is no AG-UI endpoint.`
}

// Run probes, records and prints the matrix.
func (c *probeCmd) Run(a *app) error {
	if err := c.run(a); err != nil {
		var own *exitError
		if errors.As(err, &own) {
			return err
		}
		return &exitError{exitNoProbe, fmt.Errorf("probe: %w", err)}
	}
	return nil
}

func (c *probeCmd) run(a *app) error {
	scenario, err := probe.LoadScenario(c.Scenario)
	if err != nil {
		return err
	}
	cfg := probe.Config{
		URL: c.URL, Token: c.Token, TokenHeader: c.TokenHeader, Scenario: scenario,
		Profile: profileOf(scenario.Name), Versions: c.Version, Silence: c.Silence, Progress: progress(a.errOut),
	}
	if err := cfg.Check(); err != nil {
		return err
	}
	if c.Record != "" {
		if err := probe.CheckDir(c.Record); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.errOut, "probe  scenario %s, at most %d requests\n", scenario.Name, len(probe.Plan(scenario, c.Token != "")))
	rec, err := probe.Run(a.ctx, cfg)
	if c.Record != "" && rec != nil && len(rec.Exchanges) > 0 && !errors.Is(err, probe.ErrNoAgent) {
		if failed := rec.Write(c.Record); failed != nil {
			return errors.Join(err, failed)
		}
	}
	if err != nil {
		return err
	}
	matrix := probe.Evaluate(rec)
	if c.JSON {
		err = matrix.WriteJSON(a.out)
	} else {
		err = matrix.WriteText(a.out)
	}
	if err != nil {
		return fmt.Errorf("print the matrix: %w", err)
	}
	if matrix.Broken() {
		return &exitError{code: exitBroken}
	}
	return nil
}

// profileOf is where the runtime of a shipped scenario puts what it asks.
func profileOf(scenario string) interrupt.Profile {
	runtime, _, _ := strings.Cut(scenario, "-")
	switch runtime {
	case "mastra":
		return demos.MastraDialect().Profile
	case "strands":
		return demos.StrandsDialect().Profile
	case "maf":
		return demos.AgentFrameworkDialect().Profile
	case "langgraph":
		return demos.LangGraphDialect().Profile
	}
	return interrupt.Profile{}
}

// progress prints a line for each step that is over.
func progress(w io.Writer) func(probe.Progress) {
	return func(p probe.Progress) {
		head := fmt.Sprintf("probe  %2d/%d  %s: %s", p.Number, p.Planned, p.Surface, p.Name)
		if p.Exchange == nil {
			fmt.Fprintf(w, "%s  skipped: %s\n", head, p.Skipped)
			return
		}
		x := p.Exchange
		text := fmt.Sprintf("%s  %.0f ms", head, x.TotalMS)
		switch {
		case x.Failed != "":
			text += "  " + x.Failed
		case x.Status != 200:
			text += fmt.Sprintf("  HTTP %d", x.Status)
		default:
			text += fmt.Sprintf("  %d frames", p.Frames)
		}
		if x.Aborted {
			text += ", left"
		}
		fmt.Fprintln(w, text)
	}
}
