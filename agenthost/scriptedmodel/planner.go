package scriptedmodel

import (
	"encoding/json"
	"strings"

	"cairn/agenthost/scriptedmodel/understand"
)

const (
	toolMemory     = "updateWorkingMemory"
	toolConditions = "check_conditions"
	toolReserve    = "reserve_campsite"
	toolForecast   = "weather_forecaster" // with the runtime's prefix, "agent-"
)

// notUnderstood is the honest answer to everything outside the script.
const notUnderstood = "I am the built-in scripted model and only know packing lists, trail conditions, forecasts and campsite bookings; set OPENAI_API_KEY to use a real one."

// answer is the whole model: a request in, a reply out.
func answer(req *chatRequest) reply {
	t := readTurn(req)
	if t.forecaster {
		return reply{Text: forecast(t.user)}
	}
	return plan(t)
}

// plan walks the tasks of the last message in order. Each takes at most one
// tool call; results of this turn belong to the tasks in the order their tools
// were called. The first task without its result becomes the next call, and
// when none is left the sentences about all of them are the answer. So a tool
// that fails is reported, never called again.
func plan(t turn) reply {
	var said []string
	steps := t.steps
	take := func(name string) (step, bool) {
		for i, s := range steps {
			if s.tool != "" && s.tool == name {
				steps = append(append([]step{}, steps[:i]...), steps[i+1:]...)
				return s, true
			}
		}
		return step{}, false
	}
	for _, task := range understand.Reply(t.question, t.user) {
		name, args, text := t.perform(task)
		if name == "" {
			said = append(said, text)
			continue
		}
		offered, ok := t.offered(name)
		if !ok {
			if s, done := take(name); done {
				said = append(said, report(task, s))
				continue
			}
			said = append(said, "I cannot do that here, because no "+name+" tool is offered.")
			continue
		}
		if s, done := take(offered.Function.Name); done {
			said = append(said, report(task, s))
			continue
		}
		if args == nil { // nothing to change
			said = append(said, text)
			continue
		}
		if m, ok := args.(map[string]any); ok {
			for _, k := range offered.Function.Parameters.Required {
				if _, set := m[k]; !set {
					m[k] = nil // strict schemas require every nullable field
				}
			}
		}
		return reply{Text: text, Call: newCall(offered.Function.Name, args)}
	}
	return reply{Text: strings.Join(said, " ")}
}

// perform says which tool a task needs and with which arguments, or the words
// that are its answer. With a tool, text goes in front of the call, or is the
// answer when args is nil because there is nothing to call it for.
func (t turn) perform(task understand.Task) (tool string, args any, text string) {
	switch task.Kind {
	case understand.UpdateList:
		next, missing, problem := apply(t.memory.list, task.Changes)
		switch {
		case problem != "":
			return toolMemory, nil, problem
		case next == nil:
			return toolMemory, nil, notOnList(missing)
		case len(missing) > 0:
			text = notOnList(missing)
		}
		return toolMemory, t.memory.with(*next), text
	case understand.ShowList:
		return "", nil, describe(t.memory.list)
	case understand.CountItem:
		return "", nil, countOf(t.memory.list, task.Item)
	case understand.Conditions:
		return toolConditions, map[string]any{"location": task.Place}, ""
	case understand.Reserve:
		return toolReserve, map[string]any{"site": task.Site, "nights": task.Nights}, ""
	case understand.Forecast:
		return toolForecast, map[string]any{"prompt": forecastPrompt(task)}, ""
	case understand.Say:
		return "", nil, task.Text
	}
	return "", nil, notUnderstood
}

// report says in one sentence what a task's tool answered.
func report(task understand.Task, s step) string {
	res := readResult(s.result)
	if res.failure != "" {
		return failed(task, res.failure)
	}
	switch task.Kind {
	case understand.UpdateList:
		var args struct{ Memory json.RawMessage }
		_ = json.Unmarshal([]byte(s.args), &args) // our own, as the host kept them
		return changed(without(task.Changes, missingIn(s.said)), readMemory(string(args.Memory)).list)
	case understand.Conditions:
		return conditionsSentence(task.Place, res)
	case understand.Reserve:
		return bookingSentence(task, res)
	case understand.Forecast:
		return forecastSentence(task.Place, res)
	}
	return oneLine(res.text)
}
