package reach

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestCheck(t *testing.T) {
	c, err := New(map[string]string{
		"up": "http://up.test:81/agent", "down": "http://down.test/agent", "slow": "https://slow.test/", "nameless": "http://nameless.test/",
	})
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]error{
		"down.test:http":     &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"slow.test:https":    os.ErrDeadlineExceeded,
		"nameless.test:http": &net.DNSError{Err: "no such host"},
	}
	c.dial = func(_ context.Context, _, address string) (net.Conn, error) {
		if err := answers[address]; err != nil {
			return nil, err
		}
		if address != "up.test:81" {
			return nil, errors.New("who is " + address)
		}
		near, far := net.Pipe()
		_ = far.Close()
		return near, nil
	}
	c.Check(t.Context())
	want := map[string]string{"up": "", "down": "nothing listens there", "slow": "it does not answer in time", "nameless": "its name cannot be resolved"}
	for name, why := range want {
		if got := c.Why(name); got != why || c.States()[name] != why {
			t.Errorf("%s: %q, want %q", name, got, why)
		}
	}
	if c.Why("nobody") != "" {
		t.Error("an unknown name is unreachable")
	}
}

// TestRun: it comes back by itself, and stops with its context.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(map[string]string{"a": "http://a.test"})
		if err != nil {
			t.Fatal(err)
		}
		var asked atomic.Int32
		c.dial = func(context.Context, string, string) (net.Conn, error) {
			asked.Add(1)
			return nil, syscall.ECONNREFUSED
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { c.Run(ctx); close(done) }()
		time.Sleep(2*every + time.Second)
		synctest.Wait()
		if asked.Load() != 3 || c.Why("a") == "" {
			t.Errorf("asked %d times, %q", asked.Load(), c.Why("a"))
		}
		cancel()
		<-done
	})
}

func TestNoHost(t *testing.T) {
	if _, err := New(map[string]string{"a": "/agent"}); err == nil {
		t.Error("taken")
	}
}

// TestReport: a run's word counts until the next check, and is sent to those that wait; one
// that says what was known is told to nobody.
func TestReport(t *testing.T) {
	c, err := New(map[string]string{"a": "http://a.test"})
	if err != nil {
		t.Fatal(err)
	}
	told := func(changed <-chan struct{}) bool {
		select {
		case <-changed:
			return true
		default:
			return false
		}
	}
	for i, step := range []struct {
		name string
		err  error
		why  string
		told bool
	}{
		{"a", nil, "", false},
		{"a", syscall.ECONNREFUSED, "nothing listens there", true},
		{"a", syscall.ECONNREFUSED, "nothing listens there", false},
		{"b", syscall.ECONNREFUSED, "nothing listens there", false},
		{"a", errors.New("x"), "it cannot be reached", true},
		{"a", nil, "", true},
	} {
		changed := c.Changed()
		c.Report(step.name, step.err)
		if got := told(changed); got != step.told || c.Why("a") != step.why || c.Why("b") != "" {
			t.Errorf("step %d: told %v, %q", i, got, c.Why("a"))
		}
	}
}
