package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"cairn"

	"cairn/components"
	"cairn/internal/datadir"
	"cairn/internal/markdown"
	"cairn/internal/runner"
	"cairn/internal/thread"
	"cairn/internal/threadlog/sqlite"
	"cairn/internal/view"
	"cairn/static"
	"cairn/web"
)

const (
	// stopWait is how long requests, and the ends of runs, get to be finished at
	// shutdown, after the runs have had their time.
	stopWait = 10 * time.Second
	// viewLinger keeps a view over a reload.
	viewLinger = 10 * time.Second
)

// Run starts everything, prints the URL and works until the context ends.
func (c *serveCmd) Run(a *app) error {
	if err := c.Validate(); err != nil {
		return err
	}
	ln, err := listen(c.Addr, "CAIRN_ADDR")
	if err != nil {
		return err
	}
	defer ln.Close()
	dir, err := datadir.Open(c.Data, "web")
	if err != nil {
		return err
	}
	defer dir.Close()
	keys, err := web.LoadKeys(dir.File("session.key"))
	if err != nil {
		return err
	}
	a.secrets.Add(string(keys.Sign), string(keys.Encrypt))
	log, err := sqlite.Open(a.ctx, dir.File("threads.db"))
	if err != nil {
		return fmt.Errorf("open the thread log: %w", err)
	}
	defer log.Close()

	group, ctx := errgroup.WithContext(a.ctx)
	agentsCtx, stopAgents := context.WithCancel(context.WithoutCancel(ctx)) // runs that go on at shutdown need them
	defer stopAgents()
	ups, err := c.upstreams(agentsCtx, a, group)
	if err != nil {
		return err
	}
	threads := thread.NewKeeper(thread.Config{
		Log: log, Logger: a.logger, Session: runner.Sessions(ups.agents), Attach: view.Panels(ups.demos, a.logger),
	})
	runs := runner.New(log, ups.agents, a.logger, runner.Alone(), runner.Threads(threads)) // dir is locked
	if err := runs.Recover(ctx); err != nil {
		return err
	}
	views := view.NewHub(view.Config{
		Log: log, Threads: threads, Demos: ups.demos, URLs: web.URLs(), Status: ups.status, Errors: ups.errors, Logger: a.logger, Linger: viewLinger,
		Secret: keys.Derive("message ids"),
	})
	files, err := browserFiles()
	if err != nil {
		return err
	}
	recordings, err := cairn.Transcripts()
	if err != nil {
		return err
	}
	m := files.Manifest
	app, err := web.New(web.Config{
		Log: log, Runner: runs, Views: views, Demos: ups.demos, Sources: cairn.Sources, Recordings: recordings, Static: files, Favicon: files.Favicon,
		Assets: components.Assets{Missing: m.Missing, CSS: m.CSS, Theme: m.Theme, Scripts: m.Scripts, Fonts: m.Fonts, Icon: m.Icon},
		Keys:   keys, Models: ups.models, Reach: ups.reach, Logger: a.logger,
	})
	if err != nil {
		return err
	}
	serving, endServing := context.WithCancel(context.WithoutCancel(ctx)) // pages stay up while runs end
	defer endServing()
	group.Go(func() error { // ends with ctx, when the runs have had their time
		defer endServing()
		<-ctx.Done()
		drain(ctx, runs, c.Grace, a.logger)
		return nil
	})
	group.Go(func() error { // ends with serving
		defer stopAgents()
		return a.serveHTTP(serving, ln, app, func(stopCtx context.Context) {
			if err := runs.Close(stopCtx); err != nil {
				a.logger.Error("runs did not end in time; they are recorded at the next start", "err", err)
			}
			views.Close() // after the runs, so that open pages see how they ended
			app.Close()
		})
	})
	group.Go(func() error { runs.RecoverLoop(ctx); return nil })     // ends with ctx
	group.Go(func() error { purge(ctx, log, a.logger); return nil }) // ends with ctx
	group.Go(func() error { ups.reach.Run(ctx); return nil })        // ends with ctx
	group.Go(func() error { tendMemory(ctx); return nil })           // ends with ctx
	fmt.Fprintf(a.out, "cairn is ready: http://%s\n%s  data   %s\n", ln.Addr(), ups.about, c.Data)
	if m.Missing {
		fmt.Fprintln(a.out, "  the browser files are missing, so pages do not update by themselves; `make assets` makes them")
	}
	return group.Wait()
}

// drain refuses new runs and lets those that go on end by themselves for a while.
func drain(ctx context.Context, runs *runner.Runner, grace time.Duration, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if n := runs.Running(); n > 0 {
		logger.Info("stopping when the runs that go on have ended; a second signal ends them now", "runs", n, "at most", grace)
	}
	if err := runs.Drain(ctx); err != nil {
		logger.Warn("runs still went on and are ended now", "after", grace)
	}
}

// browserFiles are the embedded ones and the colours of highlighted code.
func browserFiles() (*static.Bundle, error) {
	var colours bytes.Buffer
	if err := markdown.HighlightCSS(&colours); err != nil {
		return nil, fmt.Errorf("colours of highlighted code: %w", err)
	}
	return static.New("/static", colours.Bytes())
}

// listen opens a TCP address; variable names the setting that changes it.
func listen(addr, variable string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("the address %s is already in use; stop what listens there or choose another with %s", addr, variable)
	case err != nil:
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return ln, nil
}

// maxHeader bounds a request's header, in bytes. A browser's cookies take 4 KB each.
const maxHeader = 64 << 10

// serveHTTP serves until ctx ends, then calls before, which ends what keeps
// requests open, and lets the rest finish. Bodies and answers have no limit of time
// here, because streams have none; handlers set theirs.
func (a *app) serveHTTP(ctx context.Context, ln net.Listener, h http.Handler, before func(context.Context)) error {
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(a.logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }() // ends with Shutdown
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	}
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	before(stopCtx)
	_ = srv.Shutdown(stopCtx) // what is still open after that is cut with the process
	return err
}
