// Package interrupt keeps the pause of one thread: what an agent asked, whether
// it may be answered now, how the answer travels, and what became of it.
//
// A [Session] is folded from what happened, in order: the events of the runs
// ([Session.Observe]), how each run's stream ended ([Session.RunEnded]), the
// decisions taken ([Session.Claim]) and the requests sent for them
// ([Session.Dispatched]). The same rows give the same session, on any machine and
// any number of times; so it is stored by storing the rows. It reads no clock:
// time is passed in.
//
// Two ways of pausing are in use and a runtime may speak both in one run: the
// protocol's outcome of RUN_FINISHED (a batch of interrupts), and the older
// CUSTOM event named on_interrupt (one value). Both are kept together, whatever
// order they come in; the [Transport] says which of them is answered.
//
// A decision is claimed once. It is sent again only when it is known that it
// never left; in every other doubt the session stays blocked until something
// outside has found out what happened ([Session.Reconcile]).
//
// The package sends nothing, stores nothing, and never reads an agent's prose to
// learn what a decision did. A Session is not safe for concurrent use.
package interrupt
