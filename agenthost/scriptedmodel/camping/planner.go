// Package camping is the script of the camping trip planner and of its weather
// forecaster: a packing list, trail conditions, forecasts and bookings.
//
// Everything it says is derived from the turn. It refuses to pretend: what it
// does not understand is answered with a sentence that says this is a scripted
// model and how to use a real one.
package camping

import (
	"encoding/json"

	"cairn/agenthost/scriptedmodel/camping/understand"
	"cairn/agenthost/scriptedmodel/script"
)

const (
	toolMemory     = "updateWorkingMemory"
	toolConditions = "check_conditions"
	toolReserve    = "reserve_campsite"
	toolForecast   = "weather_forecaster" // with the runtime's prefix, "agent-"
)

// NotUnderstood is the honest answer to everything outside the script.
const NotUnderstood = "I am the built-in scripted model and only know packing lists, trail conditions, forecasts and campsite bookings; set OPENAI_API_KEY to use a real one."

// Demo is the trip planner's.
func Demo() script.Demo {
	return script.Demo{
		Tools: []string{toolConditions, toolReserve}, Names: []string{"trip planner"}, Topic: "camping", Answer: answer,
		Specialist: []string{"weather forecaster"}, Advise: advise,
	}
}

// advise is the forecaster's answer.
func advise(t script.Turn) script.Reply { return script.Reply{Text: forecast(t.User)} }

// answer is the planner's.
func answer(t script.Turn) script.Reply {
	mem := remembered(t.Systems)
	var acts []script.Act
	if _, ok := t.Tool(toolConditions); ok && t.Two {
		for _, place := range []string{"Half Dome", "Tuolumne Meadows"} {
			acts = append(acts, act(mem, understand.Task{Kind: understand.Conditions, Place: place}))
		}
		return script.Together(t, acts)
	}
	for _, task := range understand.Reply(t.Asked, t.User) {
		acts = append(acts, act(mem, task))
	}
	reply := script.Play(t, acts)
	if mem.list.Items != nil {
		reply.Facts = map[string]any{"packing_list": mem.list, "title": mem.list.Title, "items": mem.list.Items}
	}
	return reply
}

// act returns which tool a task needs and with which arguments, or the words that
// are its answer.
func act(mem memory, task understand.Task) script.Act {
	a := script.Act{Report: func(s script.Step) string { return report(task, s) }}
	switch task.Kind {
	case understand.UpdateList:
		a.Tool = toolMemory
		next, missing, problem := apply(mem.list, task.Changes)
		switch {
		case problem != "":
			a.Text = problem
			return a
		case next == nil:
			a.Text = notOnList(missing)
			return a
		case len(missing) > 0:
			a.Text = notOnList(missing)
		}
		a.Args = mem.with(*next)
	case understand.ShowList:
		a.Text = describe(mem.list)
	case understand.CountItem:
		a.Text = countOf(mem.list, task.Item)
	case understand.Conditions:
		a.Tool, a.Args = toolConditions, map[string]any{"location": task.Place}
	case understand.Reserve:
		a.Tool, a.Args = toolReserve, map[string]any{"site": task.Site, "nights": task.Nights}
	case understand.Forecast:
		a.Tool, a.Args = toolForecast, map[string]any{"prompt": forecastPrompt(task)}
	case understand.Say:
		a.Text = task.Text
	default:
		a.Text = NotUnderstood
	}
	return a
}

// report says in one sentence what a task's tool answered.
func report(task understand.Task, s script.Step) string {
	res := script.ReadResult(s.Result)
	if res.Failure != "" {
		return failed(task, res.Failure)
	}
	switch task.Kind {
	case understand.UpdateList:
		var args struct{ Memory json.RawMessage }
		_ = json.Unmarshal([]byte(s.Args), &args) // our own, as the host kept them
		return changed(without(task.Changes, missingIn(s.Said)), readMemory(string(args.Memory)).list)
	case understand.Conditions:
		return conditionsSentence(task.Place, res)
	case understand.Reserve:
		return bookingSentence(task, res)
	case understand.Forecast:
		return forecastSentence(task.Place, res)
	}
	return script.OneLine(res.Text)
}
