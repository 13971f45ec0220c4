package markdown

import (
	"runtime"
	"syscall"
	"time"
)

// start begins the work of colouring; the function it returns ends it. Processor
// time is counted, so that a busy machine does not change what is shown.
func (p *palette) start() func() {
	runtime.LockOSThread()
	p.began = threadTime()
	return func() {
		p.spend()
		runtime.UnlockOSThread()
	}
}

// threadTime is the processor time of the current thread.
func threadTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
