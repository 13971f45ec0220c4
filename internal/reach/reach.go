// Package reach reports which upstreams can be connected to, for people who wonder why
// a demo does not answer. It opens a connection and closes it: it sends nothing, so
// it costs an agent nothing and proves nothing about its answers.
package reach

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"sync"
	"syscall"
	"time"
)

const (
	// every is how old an answer may be; wait bounds one attempt.
	every = 5 * time.Second
	wait  = 2 * time.Second
)

// Checker is safe for concurrent use.
type Checker struct {
	targets map[string]string // host:port by name
	dial    func(ctx context.Context, network, address string) (net.Conn, error)

	mu      sync.Mutex
	state   map[string]string // why not, by name
	changed chan struct{}     // closed and replaced when state changes
}

// New makes a checker of URLs by name.
func New(urls map[string]string) (*Checker, error) {
	c := &Checker{targets: map[string]string{}, state: map[string]string{}, changed: make(chan struct{}), dial: (&net.Dialer{Timeout: wait}).DialContext}
	for name, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil || u.Hostname() == "" {
			return nil, fmt.Errorf("reach: the URL of %s has no host", name)
		}
		port := u.Port()
		if port == "" {
			port = u.Scheme // the resolver knows http and https
		}
		c.targets[name] = net.JoinHostPort(u.Hostname(), port)
	}
	return c, nil
}

// Run checks again and again until ctx ends.
func (c *Checker) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		c.Check(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Check asks all of them once, side by side.
func (c *Checker) Check(ctx context.Context) {
	var wg sync.WaitGroup
	for name, address := range c.targets {
		wg.Go(func() { // ends within wait, or with ctx
			why := ""
			conn, err := c.dial(ctx, "tcp", address)
			if err == nil {
				_ = conn.Close()
			} else if ctx.Err() != nil {
				return // that says nothing about the other side
			} else {
				why = reason(err)
			}
			c.set(name, why)
		})
	}
	wg.Wait()
}

// Report records what a run learned: that the upstream was reached, or with what error it
// was not. The next check counts after that. Names without a URL are ignored.
func (c *Checker) Report(name string, err error) {
	why := ""
	if err != nil {
		why = reason(err)
	}
	if _, known := c.targets[name]; known {
		c.set(name, why)
	}
}

func (c *Checker) set(name, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.state[name]
	if c.state[name] = why; why != was {
		close(c.changed)
		c.changed = make(chan struct{})
	}
}

// Changed returns a channel that is closed when an upstream becomes reachable or
// unreachable. Ask for it before asking for the state.
func (c *Checker) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// Why returns why the upstream cannot be connected to, in words for its users; "" when
// it can, or when that is not known.
func (c *Checker) Why(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state[name]
}

// States are all that were checked, by name; "" is reachable.
func (c *Checker) States() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.state)
}

// reason never names the address: pages show it.
func reason(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &dns):
		return "its name cannot be resolved"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "it does not answer in time"
	}
	return "it cannot be reached"
}
