package probe

import (
	"fmt"
	"regexp"
	"strings"
)

// The surfaces, in the order they are probed and shown.
const (
	SurfaceMessages    = "messages"
	SurfaceTools       = "tools"
	SurfaceState       = "state"
	SurfaceInterrupts  = "interrupts"
	SurfaceSubagents   = "subagents"
	SurfaceErrors      = "errors"
	SurfaceAbort       = "abort"
	SurfaceConcurrency = "concurrency"
	SurfaceInput       = "input"
	SurfaceAuth        = "auth"
)

// surfaceOrder is the order of the matrix.
var surfaceOrder = []string{
	SurfaceMessages, SurfaceTools, SurfaceState, SurfaceInterrupts, SurfaceSubagents,
	SurfaceErrors, SurfaceAbort, SurfaceConcurrency, SurfaceInput, SurfaceAuth,
}

// The steps a surface is judged by.
const (
	stepAsk           = "ask"
	stepApprove       = "approve"
	stepRepeated      = "repeated answer"
	stepAskDecline    = "ask, to decline"
	stepDecline       = "decline"
	stepAskWrong      = "ask, then wrong id"
	stepWrong         = "wrong id"
	stepAfterWrong    = "approve after wrong id"
	stepAskMissing    = "ask, then no answer"
	stepMissing       = "missing resume"
	stepAfterMissing  = "approve after missing resume"
	stepAskPlain      = "ask, then a message"
	stepPlain         = "plain message"
	stepAfterPlain    = "approve after plain message"
	stepCall          = "call"
	stepDelegate      = "delegate"
	stepModelError    = "model error"
	stepAfterError    = "next message"
	stepLeave         = "leave"
	stepAgain         = "run at once"
	stepLater         = "run later"
	stepFirst         = "first run"
	stepSecond        = "second run"
	stepNoToken       = "no token"
	stepWrongToken    = "wrong token"
	stepEmptyObject   = "empty object"
	stepEmptyArray    = "array"
	stepNotJSON       = "not JSON"
	stepNoThread      = "no threadId"
	stepNoMessages    = "no messages"
	stepWrongTypes    = "wrong types"
	numberedStepStyle = "prompt %d" // of messages and state
)

// Step is one request that may be sent.
type Step struct {
	// Number is the step's place in the plan, from 1, and its transcript's number.
	Number  int    `json:"number"`
	Surface string `json:"surface"`
	Name    string `json:"step"`
}

// Plan lists every request of a probe, in order. Steps whose condition does not
// come about, such as an answer when nothing was asked, are left out; nothing is
// ever added.
func Plan(s Scenario, token bool) []Step {
	var plan []Step
	add := func(surface string, steps ...string) {
		for _, name := range steps {
			plan = append(plan, Step{Number: len(plan) + 1, Surface: surface, Name: name})
		}
	}
	for i := range s.Messages {
		add(SurfaceMessages, fmt.Sprintf(numberedStepStyle, i+1))
	}
	if s.Tools != "" {
		add(SurfaceTools, stepCall)
	}
	for i := range s.State {
		add(SurfaceState, fmt.Sprintf(numberedStepStyle, i+1))
	}
	if s.Interrupts != nil {
		add(SurfaceInterrupts, stepAsk, stepApprove, stepRepeated, stepAskDecline, stepDecline,
			stepAskWrong, stepWrong, stepAfterWrong, stepAskMissing, stepMissing, stepAfterMissing,
			stepAskPlain, stepPlain, stepAfterPlain)
	}
	if s.Subagents != "" {
		add(SurfaceSubagents, stepDelegate)
	}
	if s.Errors != "" {
		add(SurfaceErrors, stepModelError, stepAfterError)
	}
	if s.Long != "" {
		add(SurfaceAbort, stepLeave, stepAgain, stepLater)
		add(SurfaceConcurrency, stepFirst, stepSecond)
	}
	add(SurfaceInput, stepEmptyObject, stepEmptyArray, stepNotJSON, stepNoThread, stepNoMessages, stepWrongTypes)
	if token {
		add(SurfaceAuth, stepNoToken, stepWrongToken)
	}
	return plan
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// file is what the step's files are called, without an extension.
func (s Step) file() string {
	words := notWord.ReplaceAllString(strings.ToLower(s.Surface+" "+s.Name), "-")
	return fmt.Sprintf("%02d-%s", s.Number, strings.Trim(words, "-"))
}
