// Package crash is the one place where a panic is recovered. Every goroutine that
// handles what an agent or a user sent does its work inside [Run], so that a defect
// ends one run, one view or one request and never the process.
package crash

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// maxStack bounds the stack that is logged, in bytes.
const maxStack = 8 << 10

// Error is a panic that [Run] recovered.
type Error struct {
	// Value is what was passed to panic.
	Value any
	// Stack is the stack at the panic, cut to 8 KiB.
	Stack string
}

func (e *Error) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value of the panic when it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Run calls f and returns its error. When f panics, Run logs the panic with its stack
// under the message what and the given attributes, and returns an [*Error].
func Run(logger *slog.Logger, what string, f func() error, attrs ...any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			e := &Error{Value: v, Stack: string(stack[:min(len(stack), maxStack)])}
			logger.Error(what, append(attrs, "panic", fmt.Sprint(v), "stack", e.Stack)...)
			err = e
		}
	}()
	return f()
}
