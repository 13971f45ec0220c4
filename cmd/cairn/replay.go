package main

import (
	"fmt"
	"os"

	"cairn/internal/replay"
)

// Exit codes of `cairn replay` besides 0.
const (
	exitViolations = 1
	exitNoStream   = 2
)

type replayCmd struct {
	File string `arg:"" help:"The capture; - is standard input."`
	JSON bool   `help:"Print one JSON document instead of text."`
}

// Help is what --help says below the summary.
func (replayCmd) Help() string {
	return `The capture is server-sent events as an agent sent them, JSON lines with an event each, or a JSON array of events, told apart by content, up to 20 MB.

Printed are the final conversation, what a paused run waits for, the shared state, every run with its status and usage, and every departure from the protocol with its frame, its line and its rule: R1 to R33 are the sequence rules, other rules name the section of the protocol or, as 9.N, row N of its edge cases. Control characters in what the agent said are shown as escapes.

Exit code: 0 the stream is clean, 1 it has violations, 2 it is no event stream.

--json prints {version, format, events, clean, runs, entries, pending, state, diverged, violations, findings, unlisted}. runs: {id, status, error, usage, frame}. entries: {type: message|toolCall|subagent, id, runId, status, name} with role, text, activityType, content; arguments, result, resultError; or description, toolCallId, error, entries. pending: {interrupt} or {onInterrupt}. findings: {frame, line, level: violation|note, rule, text, repeats}. version is 1 as long as nothing is renamed or changes its meaning.`
}

// Run prints the report.
func (c *replayCmd) Run(a *app) error {
	stream, err := c.read(a)
	if err != nil {
		return &exitError{exitNoStream, fmt.Errorf("replay %s: %w", c.File, err)}
	}
	report := stream.Report()
	if c.JSON {
		err = report.WriteJSON(a.out)
	} else {
		err = report.WriteText(a.out, c.File)
	}
	if err != nil {
		return fmt.Errorf("replay %s: print the report: %w", c.File, err)
	}
	if !report.Clean {
		return &exitError{code: exitViolations}
	}
	return nil
}

// read reads the capture, or returns up when the context ends: a terminal that is
// read from may stay silent.
func (c *replayCmd) read(a *app) (*replay.Stream, error) {
	in := a.in
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	type result struct {
		stream *replay.Stream
		err    error
	}
	done := make(chan result, 1)
	go func() { // ends with the input, or with the process
		stream, err := replay.Read(in)
		done <- result{stream, err}
	}()
	select {
	case r := <-done:
		return r.stream, r.err
	case <-a.ctx.Done():
		return nil, a.ctx.Err()
	}
}
