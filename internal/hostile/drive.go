package hostile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Bounds that each case is held to.
const (
	MaxPage = 1 << 20 // bytes of a page, and of the snapshot that a tab gets
	MaxRSS  = 400     // MiB of the process
)

// Driver plays cases through a server.
type Driver struct {
	// Limit is how long one case may take before it counts as not settled.
	Limit time.Duration

	life    context.Context // of the processes
	agent   *Agent
	binary  string
	data    string
	server  *Server
	user    *user
	other   *bystander
	idle    float64  // MiB, after a harmless conversation
	threads []string // paths of the pages of what was played
	played  int
	waits   []time.Duration // of bystanders that ended
}

// NewDriver starts the binary on a new data directory below dir. Its processes are
// killed when ctx ends.
func NewDriver(ctx context.Context, binary, dir string) (*Driver, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	d := &Driver{Limit: 2 * time.Minute, life: ctx, agent: NewAgent(), binary: binary, data: filepath.Join(dir, "data")}
	if err := d.start(); err != nil {
		d.agent.Close()
		return nil, err
	}
	return d, nil
}

// start starts the server and a bystander, and weighs the process after a harmless
// conversation.
func (d *Driver) start() (err error) {
	ctx := d.life
	if d.server, err = Start(ctx, d.binary, d.data, d.agent.URL); err != nil {
		return err
	}
	if d.user == nil {
		d.user = newUser(d.server.URL)
	} else {
		d.user.moved(d.server.URL)
	}
	thread, err := d.user.begin(ctx, "mastra", "Hello")
	if err != nil {
		return err
	}
	if _, err = d.user.watch(ctx, thread, func() {}); err != nil {
		return err
	}
	d.other = startBystander(d.agent, d.server.URL)
	d.idle, _, err = d.server.RSS()
	return err
}

// Restart kills the server and starts it again on the same data.
func (d *Driver) Restart() error {
	d.halt()
	return d.start()
}

func (d *Driver) halt() {
	d.server.Kill()
	d.other.end()
	d.waits = append(d.waits, d.other.all()...)
}

// Close ends the server and the agent.
func (d *Driver) Close() {
	d.halt()
	d.agent.CloseClientConnections()
	d.agent.Close()
}

// Play plays one case. A case that ends the process, or does not settle, costs a new
// process, so that the next case is not judged for it. The error is the driver's own.
func (d *Driver) Play(ctx context.Context, c Case) (Result, error) {
	r := Result{Case: c.Name}
	began, server := time.Now(), d.server
	before, err := server.CPU()
	if err == nil {
		err = server.ResetPeak()
	}
	if err != nil {
		return r, err
	}
	logged := len(server.Logged())
	d.other.take()
	limited, cancel := context.WithTimeout(ctx, d.Limit)
	defer cancel()
	d.visit(limited, c, &r)
	r.Took = time.Since(began)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if after, err := server.CPU(); err == nil && after > before {
		r.CPU = after - before
	}
	if _, r.Peak, err = server.RSS(); err == nil && r.Peak > 0 {
		r.Growth = math.Max(0, r.Peak-d.idle)
	}
	r.checkLog(server.Logged()[logged:])
	var failed error
	if r.Wait, failed = d.other.take(); failed != nil {
		r.wrong("the bystander: %v", failed)
	}
	if r.Peak > MaxRSS {
		r.wrong("%.0f MiB", r.Peak)
	}
	if r.settled && server.Alive() {
		return r, nil
	}
	select {
	case <-server.exited:
		r.Wrong = append([]string{"the process ended"}, r.Wrong...)
	case <-time.After(time.Second): // the last connection breaks before the process has ended
	}
	return r, d.Restart()
}

// visit is what the user does: send a message, watch the answer, stop it where it has
// no end, load the page, open another tab, and send a further message.
func (d *Driver) visit(ctx context.Context, c Case, r *Result) {
	demo := c.Demo
	if demo == "" {
		demo = "mastra"
	}
	d.played++
	message := fmt.Sprintf("%s, number %d", c.Name, d.played)
	turn := d.agent.expect(message, c)
	thread, err := d.user.begin(ctx, demo, message)
	if err != nil {
		r.wrong("send: %v", err)
		return
	}
	path := "/" + demo + "/t/" + thread
	d.threads = append(d.threads, path)
	stopped := make(chan error, 1)
	go func() { // ends with the case, whose context is the request's
		if c.End != Stop {
			stopped <- nil
			return
		}
		select {
		case <-turn.written:
		case <-ctx.Done():
		}
		_, _, err := d.user.post(ctx, "/t/"+thread+"/stop", nil)
		stopped <- err
	}()
	opened := false
	r.Streamed, err = d.user.watch(ctx, thread, func() {
		if !opened {
			close(turn.begin)
			opened = true
		}
	})
	if err != nil {
		r.wrong("not settled: %v", err)
		return
	}
	if err := <-stopped; err != nil {
		r.wrong("stop: %v", err)
		return
	}
	status, page, err := d.user.get(ctx, path)
	if r.Page = len(page); err != nil || status != http.StatusOK {
		r.wrong("page: status %d, %v", status, err)
		return
	}
	if r.Snapshot, err = d.user.snapshot(ctx, thread); err != nil {
		r.wrong("snapshot: %v", err)
		return
	}
	if err := d.say(ctx, thread, page, "Thanks"); err != nil {
		r.wrong("a further message: %v", err)
		return
	}
	if status, _, err := d.user.get(ctx, "/healthz"); status != http.StatusOK {
		r.wrong("healthz: status %d, %v", status, err)
		return
	}
	r.settled = true
	if r.Page > MaxPage {
		r.wrong("a page of %s", size(int64(r.Page)))
	}
	if r.Snapshot > MaxPage {
		r.wrong("a snapshot of %s", size(r.Snapshot))
	}
}

// say sends a further message and watches its answer. It is refused only while a question is open.
func (d *Driver) say(ctx context.Context, thread string, page []byte, message string) error {
	id := messageID.FindSubmatch(page)
	if id == nil {
		return errors.New("the page has no form")
	}
	status, _, err := d.user.post(ctx, "/t/"+thread+"/messages", url.Values{"message_id": {string(id[1])}, "text": {message}})
	switch {
	case err != nil:
		return err
	case status == http.StatusConflict:
		return nil
	case status != http.StatusSeeOther:
		return fmt.Errorf("status %d", status)
	}
	_, err = d.user.watch(ctx, thread, func() {})
	return err
}

// Pages loads every page that was played, and returns what is wrong with each.
func (d *Driver) Pages(ctx context.Context) []string {
	var wrong []string
	for _, path := range d.threads {
		limited, cancel := context.WithTimeout(ctx, d.Limit)
		status, page, err := d.user.get(limited, path)
		cancel()
		if err != nil || status != http.StatusOK || len(page) > MaxPage {
			wrong = append(wrong, fmt.Sprintf("%s: status %d, %s, %v", path, status, size(int64(len(page))), err))
		}
		if !d.server.Alive() {
			return append(wrong, "the process ended")
		}
	}
	if _, peak, _ := d.server.RSS(); peak > MaxRSS {
		wrong = append(wrong, fmt.Sprintf("%.0f MiB", peak))
	}
	return wrong
}

// Waits returns every wait of the bystander, the shortest first.
func (d *Driver) Waits() []time.Duration {
	return slices.Sorted(slices.Values(append(d.waits, d.other.all()...)))
}
