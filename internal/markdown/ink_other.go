//go:build !linux

package markdown

import "time"

var epoch = time.Now()

// start begins the work of colouring; the function it returns ends it.
func (p *palette) start() func() {
	p.began = threadTime()
	return func() { p.spend() }
}

// threadTime is the time on the clock where that of a thread is not known.
func threadTime() time.Duration { return time.Since(epoch) }
