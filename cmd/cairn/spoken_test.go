package main

// saidAgain is a reason that several have.
const saidAgain = "the recorded result again, and nothing is done"

// dialects are the agents of the service.
var dialects = []spoken{
	{topic: "mastra", safer: map[string]string{
		"interrupts/repeated answer": saidAgain + "; the real one tells of a run that is gone",
		"interrupts/missing resume":  "refused with interrupt_pending; the real one asks a second time",
		"interrupts/plain message":   "refused with interrupt_pending; the real one answers and leaves the question open",
		"concurrency/second run":     "refused at once with thread_busy; the real one is silent until the first run ends",
		"input/empty object":         "refused with 400 naming the member; the real one fails inside the run",
		"input/array":                "refused with 400 naming the member; the real one fails inside the run",
		"input/no threadId":          "refused with 400 naming the member; the real one runs without memory",
		"input/no messages":          "refused with 400 naming the member; the real one fails inside the run",
		"input/wrong types":          "refused with 400 naming the member; the real one fails inside the run",
	}},
	{topic: "strands", partial: map[string]string{"state": "whole states only"}, safer: map[string]string{
		"interrupts/repeated answer": saidAgain + "; the real one ends the run without a word",
	}},
	{topic: "maf", noise: countsTokens, safer: copilotIsSafer},
	{topic: "langgraph", partial: map[string]string{"state": "whole states only"}, safer: deskIsSafer(false)},
	{topic: "langgraph-native", partial: map[string]string{"state": "whole states only"}, safer: deskIsSafer(true)},
}
