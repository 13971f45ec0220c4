package hostile

import (
	"context"
	"testing"
	"time"
)

const (
	// mostAfterDelete is the processor time that may pass after a conversation was
	// deleted. It bounds work and not time, so that a busy machine changes nothing.
	mostAfterDelete = 2 * time.Second
	// mostAboveIdle is the memory that tabs may cost, and almostIdle what may stay of
	// it, in MiB.
	mostAboveIdle, almostIdle = 200, 40
	silentTabs                = 60
)

// quiet returns a driver without a bystander.
func quiet(t *testing.T) *Driver {
	d, err := NewDriver(t.Context(), binary(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	d.other.end()
	return d
}

// until calls f twice a second until it returns true; the test fails after the limit.
func until(t *testing.T, limit time.Duration, what string, f func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	beat := time.NewTicker(time.Second / 2)
	defer beat.Stop()
	for !f() {
		select {
		case <-beat.C:
		case <-ctx.Done():
			t.Fatalf("after %v: %s", limit, what)
		}
	}
}

func (d *Driver) cpu(t *testing.T) time.Duration {
	t.Helper()
	c, err := d.server.CPU()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDeleteEndsTheWork deletes conversations while their answers are drawn: the
// process comes to rest soon.
func TestDeleteEndsTheWork(t *testing.T) {
	t.Parallel()
	d := quiet(t)
	for _, c := range []Case{
		{Name: "quotes", Play: text(fill(100_000, ">"))},
		{Name: "quotes-paced", Play: paced(textBy(10_000, fill(100_000, "> ")))},
		{Name: "table", Play: text(fill(30_000, "|a") + "\n" + fill(30_000, "|-") + "|\n" + fill(30_000, "|\n"))},
		{Name: "code", Play: text("```html\n" + fill(1_000_000, "<a b='"))},
		{Name: "json", Play: result(fill(50_000, "[") + fill(50_000, "]"))},
		{Name: "endless", Play: openText(100, "Hello"), End: Stop},
	} {
		t.Run(c.Name, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() { // the next case is not to be judged for what goes on
					if err := d.Restart(); err != nil {
						t.Fatal(err)
					}
					d.other.end()
				}
			})
			ctx, leave := context.WithTimeout(t.Context(), d.Limit)
			defer leave()
			turn := d.agent.expect(c.Name, c)
			thread, err := d.user.begin(ctx, "mastra", c.Name)
			if err != nil {
				t.Fatal(err)
			}
			left := make(chan struct{})
			opened := make(chan struct{})
			go func() { // ends with the stream of the deleted thread, or with ctx
				defer close(left)
				_, _ = d.user.watch(ctx, thread, func() {
					select {
					case <-opened:
					default:
						close(opened)
					}
				})
			}()
			<-opened
			idle := d.cpu(t)
			close(turn.begin)
			<-turn.written
			until(t, d.Limit, "the answer is not drawn", func() bool {
				select {
				case <-left: // drawn already
					return true
				default:
					return c.End == Stop || d.cpu(t)-idle > 200*time.Millisecond
				}
			})
			before := d.cpu(t)
			if status, _, err := d.user.post(ctx, "/t/"+thread+"/delete", nil); err != nil || status >= 400 {
				t.Fatalf("delete: status %d, %v", status, err)
			}
			last := time.Duration(-1)
			until(t, d.Limit, "the process does not rest", func() bool {
				now := d.cpu(t)
				if now-before > mostAfterDelete {
					t.Fatalf("%v of processor time after the deletion", now-before)
				}
				rested := now-last <= 20*time.Millisecond
				last = now
				return rested
			})
			t.Logf("%v of processor time after the deletion", last-before)
			leave()
			<-left
		})
	}
}

// TestMemoryIsGivenBack opens tabs that never read on a thread of 10 MB, while its
// agent goes on.
func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	d := quiet(t)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	long := Case{Name: "10 MB", Play: times(100, text(fill(100_000, "All good words are here, and more.\n\n")))}
	r := Result{}
	if d.visit(ctx, long, &r); len(r.Wrong) > 0 {
		t.Error(r.Wrong)
	}
	thread := d.threads[0][len("/mastra/t/"):]
	if err := d.server.ResetPeak(); err != nil {
		t.Fatal(err)
	}
	tabs := make([]*tab, silentTabs)
	for i := range tabs {
		tab, err := d.user.tab(ctx, thread)
		if err != nil {
			t.Fatal(err)
		}
		defer tab.Close()
		tabs[i] = tab
	}
	words := d.agent.expect("More", Case{Play: paced(textBy(5, fill(400, "word ")))})
	close(words.begin)
	_, page, err := d.user.get(ctx, d.threads[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := d.say(ctx, thread, page, "More"); err != nil {
		t.Fatal(err)
	}
	now, peak, err := d.server.RSS()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.0f MiB idle, %.0f MiB with %d tabs, %.0f MiB at most", d.idle, now, silentTabs, peak)
	if peak-d.idle > mostAboveIdle {
		t.Errorf("%.0f MiB above idle", peak-d.idle)
	}
	for _, tab := range tabs {
		tab.Close()
	}
	began := time.Now()
	until(t, 3*time.Minute, "the memory is not given back", func() bool {
		now, _, err = d.server.RSS()
		return err != nil || now-d.idle < almostIdle
	})
	t.Logf("%.0f MiB %.0f s after the tabs were closed", now, time.Since(began).Seconds())
}
