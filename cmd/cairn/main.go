// Command cairn is the whole product: the web app, the agent service, the scripted
// model, and the tools around them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"cairn/internal/config"
)

type cli struct {
	Serve serveCmd `cmd:"" help:"Run the web app, with the agent service inside unless one is configured."`
	Agent agentCmd `cmd:"" help:"Run the agent service alone, or list what it booked."`
	Model modelCmd `cmd:"" help:"Run the scripted OpenAI-compatible model alone."`

	Probe  probeCmd  `cmd:"" help:"Measure an AG-UI endpoint surface by surface and print the matrix."`
	Replay replayCmd `cmd:"" help:"Fold a captured stream: the conversation, and what breaks the protocol."`
}

// app is what every command gets.
type app struct {
	ctx    context.Context
	in     io.Reader
	out    io.Writer
	errOut io.Writer
	logger *slog.Logger
}

// exitError ends the process with a code of its own. Without an err, what there is
// to say was printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

type serveCmd struct{ config.Serve }

type agentCmd struct {
	Run          agentRunCmd          `cmd:"" default:"withargs" help:"Run the agent service."`
	Reservations agentReservationsCmd `cmd:"" help:"Print the trip agent's bookings as JSON lines."`
}

type agentRunCmd struct{ config.Agent }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process, for tests. It gives the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	var c cli
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("cairn"),
		kong.Description("Talk to AG-UI agents from a server-rendered web app. `cairn serve` runs everything."),
		kong.Writers(out, errOut),
		kong.Exit(func(code int) { exit = code }),
		kong.UsageOnError(),
	)
	if err != nil {
		fmt.Fprintln(errOut, "cairn:", err)
		return 1
	}
	kctx, err := parser.Parse(args)
	if exit >= 0 { // --help has answered
		return exit
	}
	if err != nil {
		fmt.Fprintln(errOut, "cairn:", err)
		return 1
	}
	logger := slog.New(slog.NewTextHandler(errOut, nil))
	err = kctx.Run(&app{ctx: ctx, in: os.Stdin, out: out, errOut: errOut, logger: logger})
	if own := new(exitError); errors.As(err, &own) {
		if own.err != nil {
			fmt.Fprintln(errOut, "cairn:", own.err)
		}
		return own.code
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(errOut, "cairn:", err)
		return 1
	}
	return 0
}
