// Package interrupt keeps the pause of one thread: what an agent asked, whether
// it may be answered now, how the answer travels, and what became of it.
//
//	session := interrupt.New(interrupt.TransportAuto, profile)
//	...
//	session.Observe(event, runID)              // each event of each run
//	session.RunEnded(runID, interrupt.EndedClean)
//	for _, question := range session.Pending() { show(question) }
//	...
//	wire, err := session.Claim(generation, newRunID, decision, time.Now())
//	// store the claim, then send wire with the run newRunID
//	session.Dispatched(newRunID)
//
// # Phases
//
// A pause is collecting while its run still goes on, then pending: it can be
// answered. A claimed decision is resuming once it was handed to the network, and
// acknowledged when its run has started; none when that run has ended, or
// collecting again when it asked something new. What broke off on the way is
// uncertain (the decision may have arrived) or recovery-required (it did, and its
// run failed). In every phase but none, ordinary messages have to wait.
//
// # Once
//
// A decision is claimed once, for the generation it was made on, and frozen. It is
// sent again only when it is known that it never left ([Session.Retry]); in every
// other doubt the session stays blocked until something outside has found out
// what happened ([Session.Reconcile]), or a user who knows the risk chooses
// ([Session.Resend], [Session.Abandon]).
//
// # Leaving
//
// A pause that nobody can answer is none ([Session.Refused]), and one that expired or is
// in doubt can be left ([Session.Abandon]). Its interrupts are open at the agent all the
// same, so the next request cancels them where the transport can say so ([Session.Owed]).
//
// # Two ways of asking, four of answering
//
// A runtime may pause by the protocol's outcome of RUN_FINISHED (a batch of
// interrupts), by the older CUSTOM event named on_interrupt (one value), or by
// both in one run. Both are kept together, whatever order they come in; the
// [Transport] says which of them is answered and where the answer goes. A
// [Profile] says where a runtime puts what a person needs to know.
//
// # Bounds
//
// A pause costs time in proportion to what the agent sent. Of more than [MaxPending]
// requests the first are kept to be shown, and none can be answered; of a request that
// is too large to be shown nothing is looked up ([Pending]'s Unread).
//
// # Storing
//
// A session is folded from what happened, in order. The same rows makes the same
// session, on any machine and any number of times, so it is stored by storing the
// rows: events, ends of runs, claims, dispatches. A process that takes over the rows of a
// process that died calls [Session.Demote].
//
// # What it does not do
//
// It sends nothing, stores nothing, reads no clock, and never reads an agent's
// prose to learn what a decision did. A Session is not safe for concurrent use.
package interrupt
