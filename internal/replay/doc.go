// Package replay reads a captured AG-UI stream and tells what it amounts to: the
// conversation it folds to, and every departure from the protocol by frame and
// rule. [Read] takes server-sent events, JSON lines and a JSON array; the same
// events make the same report, apart from the line numbers, whatever they came in.
//
// It never sends anything, never repairs an event, and reads the whole capture
// before it judges. Everything in a capture is data: what [Report.WriteText] and
// [Report.WriteJSON] write holds no control character but line ends, so that it
// is safe to show on a terminal.
package replay
