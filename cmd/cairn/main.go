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
	"reflect"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"cairn/agentclient"
	"cairn/internal/config"
	"cairn/internal/logging"
	"cairn/internal/mask"
)

const (
	// maxErrorLines and maxErrorLine, in bytes, bound the error a command ends with.
	maxErrorLines = 50
	maxErrorLine  = 2 << 10
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
	// secrets are masked in the logger's lines and in the error a command ends with.
	secrets *mask.Set
	logger  *slog.Logger
}

func newApp(ctx context.Context, out, errOut io.Writer) *app {
	secrets := new(mask.Set)
	return &app{ctx: ctx, in: os.Stdin, out: out, errOut: errOut, secrets: secrets, logger: logging.New(errOut, secrets)}
}

// secretEnv returns the environment variable name, which holds a secret.
func (a *app) secretEnv(name string) string {
	value := os.Getenv(name)
	a.secrets.Add(value)
	return value
}

// fail prints the error a command ends with, a line for each that was joined.
func (a *app) fail(err error) {
	lines := strings.SplitN(err.Error(), "\n", maxErrorLines+1)
	for i, line := range lines {
		lines[i] = a.secrets.Line(line, maxErrorLine)
	}
	fmt.Fprintln(a.errOut, "cairn:", strings.Join(lines[:min(len(lines), maxErrorLines)], "\n"))
}

// secretFlag decodes a flag or its variable, and adds it to the secrets.
func (a *app) secretFlag(ctx *kong.DecodeContext, target reflect.Value) error {
	var value string
	if err := ctx.Scan.PopValueInto("string", &value); err != nil {
		return err
	}
	a.secrets.Add(value)
	target.SetString(value)
	return nil
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

// run is main without the process, for tests. It returns the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	a := newApp(ctx, out, errOut)
	var c cli
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("cairn"),
		kong.Description("Talk to AG-UI agents from a server-rendered web app. `cairn serve` runs everything."),
		kong.Writers(out, errOut),
		kong.Exit(func(code int) { exit = code }),
		kong.UsageOnError(),
		kong.TypeMapper(reflect.TypeFor[agentclient.Secret](), kong.MapperFunc(a.secretFlag)),
	)
	if err != nil {
		a.fail(err)
		return 1
	}
	kctx, err := parser.Parse(args)
	if exit >= 0 { // --help has answered
		return exit
	}
	for _, url := range []string{c.Serve.AgentURL, c.Probe.URL} {
		a.secrets.Add(agentclient.URLSecrets(url)...)
	}
	if err != nil {
		a.fail(err)
		return 1
	}
	err = kctx.Run(a)
	if own := new(exitError); errors.As(err, &own) {
		if own.err != nil {
			a.fail(own.err)
		}
		return own.code
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		a.fail(err)
		return 1
	}
	return 0
}
