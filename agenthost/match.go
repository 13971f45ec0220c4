package agenthost

import "cairn/agenthost/dialect"

// match returns the answered interrupts in the order of the calls. The answers must be
// to all interrupts of one pause.
func (x *run) match(answers []dialect.Answer, interrupts []Interrupt) ([]decided, error) {
	known := x.known(interrupts)
	found := map[InterruptKey]dialect.Answer{}
	var runID string
	for _, a := range answers {
		in, err := known.find(a)
		if err != nil {
			return nil, err
		}
		if _, twice := found[in.InterruptKey]; twice {
			return nil, invalidResume("resume answers one interrupt twice.")
		}
		if runID != "" && in.RunID != runID {
			return nil, invalidResume("resume answers interrupts of different runs.")
		}
		runID, found[in.InterruptKey] = in.RunID, a
	}
	var list []decided
	for _, in := range interrupts {
		if in.RunID != runID {
			continue
		}
		a, ok := found[in.InterruptKey]
		if !ok {
			return nil, errIncomplete
		}
		list = append(list, decided{Answer: a, in: in, tool: x.agent.suspendingTool(in.ToolName)})
	}
	return list, nil
}

// knownInterrupts are the interrupts of a thread by the ids that clients see.
type knownInterrupts struct {
	byID   map[string]Interrupt
	runs   map[string]bool
	newest *Interrupt
}

func (x *run) known(interrupts []Interrupt) knownInterrupts {
	k := knownInterrupts{byID: map[string]Interrupt{}, runs: map[string]bool{}}
	for i, in := range interrupts {
		id := x.agent.dialect().InterruptID(in.RunID, in.ToolCallID)
		if _, twice := k.byID[id]; !twice {
			k.byID[id] = in
		}
		k.runs[in.RunID], k.newest = true, &interrupts[i]
	}
	return k
}

// find returns the interrupt that an answer names, if the thread has it.
func (k knownInterrupts) find(a dialect.Answer) (Interrupt, error) {
	if a.Interrupt == "" && k.newest != nil {
		return *k.newest, nil
	}
	if in, ok := k.byID[a.Interrupt]; ok {
		return in, nil
	}
	if k.runs[a.RunID] {
		return Interrupt{}, errWrongCall
	}
	return Interrupt{}, errNoInterrupt
}
