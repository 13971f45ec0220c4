package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"cairn/agenthost/scriptedmodel"
)

type modelCmd struct {
	Addr string `env:"CAIRN_MODEL_ADDR" default:"127.0.0.1:8082" help:"Listen address of the scripted model."`
}

// Run serves the scripted model until the context ends.
func (c *modelCmd) Run(a *app) error {
	ln, err := listen(c.Addr, "CAIRN_MODEL_ADDR")
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "the scripted model is ready: OPENAI_BASE_URL=http://%s/v1\n", ln.Addr())
	return a.serveHTTP(a.ctx, ln, scriptedmodel.New(scriptedmodel.Config{Logger: a.logger}), func(context.Context) {})
}

// startModel runs the scripted model on a free loopback port until ctx ends and
// returns its base URL.
func startModel(ctx context.Context, a *app, group *errgroup.Group) (baseURL string, err error) {
	ln, err := listen("127.0.0.1:0", "CAIRN_ADDR")
	if err != nil {
		return "", err
	}
	model := scriptedmodel.New(scriptedmodel.Config{Logger: a.logger})
	group.Go(func() error { return a.serveHTTP(ctx, ln, model, func(context.Context) {}) }) // ends with ctx
	return fmt.Sprintf("http://%s/v1", ln.Addr()), nil
}
