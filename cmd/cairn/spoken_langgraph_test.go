package main

// deskIsSafer are the exceptions of LangGraph's dialect, in both ways of asking.
func deskIsSafer(native bool) map[string]string {
	all := map[string]string{
		"interrupts/repeated answer": saidAgain + "; the real one shows the state without a word",
		"interrupts/missing resume":  "refused with interrupt_pending; the real one asks again",
		"interrupts/plain message":   "refused with interrupt_pending; the real one asks again and forgets the message",
		"errors/model error":         "no step is left open",
		"concurrency/second run":     "refused at once with thread_busy; of the real one both runs talk",
	}
	if native { // elsewhere an answer names no question
		all["interrupts/wrong id"] = "refused with interrupt_not_found; the real one issues the refund"
		all["interrupts/approve after wrong id"] = "the approval, which is still open; for the real one it is a repeat"
	}
	return all
}
