package agenthost

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agenthost/hosttest/chat"
	"cairn/agui"
)

// requestOf is the request that a conversation becomes, as JSON, and whether a strict
// server accepts it.
func requestOf(t *testing.T, list []Message) (chat.Request, error) {
	t.Helper()
	p, err := (&model{}).request(append([]Message{{Role: "system"}}, list...), nil)
	if err != nil {
		return chat.Request{}, err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return chat.Check(raw)
}

// The words that odd histories are written in.
const (
	ask    = `{"id":"1","role":"user","content":"ask"}`
	again  = `{"id":"2","role":"user","content":"again"}`
	callC  = `{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{\"x\":1}"}}]}`
	callC2 = `{"id":"b","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{\"x\":2}"}}]}`
	half   = `{"id":"a","role":"assistant","content":"well","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{\"x"}}]}`
	first  = `{"id":"r","role":"tool","toolCallId":"c","content":"first"}`
	second = `{"id":"s","role":"tool","toolCallId":"c","content":"second"}`
)

var long = strings.Repeat("x", 41)

// TestOddHistories: what a client may send becomes a request that a strict server
// accepts. No result goes to another call, and what the user said is there.
func TestOddHistories(t *testing.T) {
	reserved := Interrupt{InterruptKey: InterruptKey{"run", "c"}, ToolName: "n", Args: []byte(`{"x":1}`), State: StateFinished, Result: []byte(`"booked"`)}
	left, unknown, pending := reserved, reserved, reserved
	left.State = StateLeft
	unknown.State, unknown.Result = StateDecided, nil
	pending.State, pending.Result = StatePending, nil
	notKnown := `{"error":true,"message":"The outcome of this call is not known."}`
	for _, tc := range []struct {
		name  string
		sent  []string
		known []Interrupt
		want  []string
	}{
		{"nothing", nil, nil, nil},
		{"a message id for two roles", []string{`{"id":"1","role":"user","content":"ask"}`, `{"id":"1","role":"assistant","content":"well"}`, `{"id":"1","role":"user","content":"again"}`}, nil,
			[]string{"u ask", "a well", "u again"}},
		{"the same words twice", []string{ask, ask}, nil, []string{"u ask", "u ask"}},
		{"an answer under one id around a tool", []string{ask, `{"id":"m","role":"assistant","content":"wait"}`, callC, first, `{"id":"m","role":"assistant","content":"done"}`}, nil,
			[]string{"u ask", "a wait", `a c=n{"x":1}`, "t(c) first", "a done"}},
		{"a call id in two turns", []string{ask, callC, first, again, callC2, second}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "u again", `a call_1=n{"x":2}`, "t(call_1) second"}},
		{"a call id in two turns, the first without a result", []string{ask, callC, again, callC2, second}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) " + noResult, "u again", `a call_1=n{"x":2}`, "t(call_1) second"}},
		{"a call id in two turns, the second without a result", []string{ask, callC, first, again, callC2}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "u again", `a call_1=n{"x":2}`, "t(call_1) " + noResult}},
		{"a call id in two turns, each with its result twice", []string{ask, callC, first, first, again, callC2, second, second}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "u again", `a call_1=n{"x":2}`, "t(call_1) second"}},
		{"a call id twice in a turn", []string{ask, callC, first, callC2, second}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", `a call_1=n{"x":2}`, "t(call_1) second"}},
		{"a call id twice in a turn, results later", []string{ask, callC, callC2, first, second}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", `a call_1=n{"x":2}`, "t(call_1) second"}},
		{"a call id twice in a turn, one result", []string{ask, callC, callC2, first}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) " + noResult, `a call_1=n{"x":2}`, "t(call_1) first"}},
		{"a call told again", []string{ask, callC, first, callC, first, again}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "u again"}},
		{"a call told again with another", []string{ask, callC, `{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{\"x\":1}"}},{"id":"d","type":"function","function":{"name":"m","arguments":""}}]}`, first}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "a d=m{}", "t(d) " + noResult}},
		{"the same call in the next turn", []string{ask, callC, first, again, callC, second}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "u again", `a call_1=n{"x":1}`, "t(call_1) second"}},
		{"a result twice", []string{ask, callC, first, second, again}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) second", "u again"}},
		{"a result before its call", []string{ask, first, callC, again}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "u again"}},
		{"a result before its call and one after", []string{ask, first, callC, second}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) second"}},
		{"the result of an earlier turn before a call", []string{first, ask, callC}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) " + noResult}},
		{"a result that comes in the next turn", []string{ask, callC, again, first}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "u again"}},
		{"a result without a call", []string{ask, first, again}, nil, []string{"u ask", "u again"}},
		{"a call without a result", []string{ask, callC, again}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) " + noResult, "u again"}},
		{"a call that broke off", []string{ask, half, again}, nil, []string{"u ask", "a well", "u again"}},
		{"a call that broke off, answered", []string{ask, half, first, again}, nil,
			[]string{"u ask", "a well c=n{}", "t(c) first", "u again"}},
		{"a call that broke off and was made again", []string{ask, half, callC, first}, nil,
			[]string{"u ask", "a well", `a c=n{"x":1}`, "t(c) first"}},
		{"a call that broke off alone", []string{ask, strings.Replace(half, `"content":"well",`, "", 1), again}, nil, []string{"u ask", "u again"}},
		{"a call without arguments", []string{ask, strings.Replace(half, `{\"x`, "", 1), first}, nil,
			[]string{"u ask", "a well c=n{}", "t(c) first"}},
		{"arguments that are no object", []string{ask, strings.Replace(half, `{\"x`, "[1]", 1), first}, nil,
			[]string{"u ask", "a well c=n{}", "t(c) first"}},
		{"a name that is none", []string{ask, strings.Replace(callC, `"name":"n"`, `"name":"my.tool é"`, 1), first}, nil,
			[]string{"u ask", `a c=my_tool__{"x":1}`, "t(c) first"}},
		{"an id that is too long", []string{ask, strings.Replace(callC, `"id":"c"`, `"id":"`+long+`"`, 1), strings.Replace(first, `"c"`, `"`+long+`"`, 1)}, nil,
			[]string{"u ask", `a call_1=n{"x":1}`, "t(call_1) first"}},
		{"an id that looks like ours", []string{ask, strings.Replace(callC, `"id":"c"`, `"id":"call_1"`, 1), callC, again, callC}, nil,
			[]string{"u ask", `a call_1=n{"x":1}`, "t(call_1) " + noResult, `a c=n{"x":1}`, "t(c) " + noResult, "u again", `a call_2=n{"x":1}`, "t(call_2) " + noResult}},
		{"a message between a call and its result", []string{ask, callC, `{"id":"3","role":"system","content":"rule"}`, first}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) first", "s rule"}},
		{"system and developer", []string{`{"id":"3","role":"developer","content":"rule"}`, ask, `{"id":"3","role":"system","content":""}`}, nil,
			[]string{"s rule", "u ask", "s  "}},
		{"reasoning, activities and subagents", []string{ask, `{"id":"3","role":"reasoning","content":"hm"}`, `{"id":"4","role":"activity","activityType":"x","content":{}}`,
			`{"id":"5","role":"assistant","content":"x","subagentRunId":"s"}`, strings.Replace(callC, `"role"`, `"subagentRunId":"s","role"`, 1), first, again}, nil,
			[]string{"u ask", "u again"}},
		{"empty content", []string{`{"id":"1","role":"user","content":""}`, `{"id":"a","role":"assistant","content":""}`, `{"id":"b","role":"assistant"}`}, nil, []string{"u  "}},
		{"parts", []string{`{"id":"1","role":"user","content":[{"type":"text","text":"what is this?"},{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"}}]}`}, nil,
			[]string{"u what is this?", "[image attached, which cannot be read here]"}},
		{"a picture alone", []string{`{"id":"1","role":"user","content":[{"type":"image","source":{"type":"url","value":"https://x.test/a.png"}}]}`}, nil,
			[]string{"u [image attached, which cannot be read here]"}},
		{"a result that is a picture", []string{ask, callC, `{"id":"r","role":"tool","toolCallId":"c","content":[{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"}}]}`}, nil,
			[]string{"u ask", `a c=n{"x":1}`, "t(c) [image attached, which cannot be read here]"}},
		{"a result that is an error", []string{ask, callC, `{"id":"r","role":"tool","toolCallId":"c","content":"","error":"no"}`}, nil,
			[]string{"u ask", `a c=n{"x":1}`, `t(c) {"error":true,"message":"no"}`}},

		{"the call of a hidden result", []string{ask, first, again}, []Interrupt{reserved},
			[]string{"u ask", `a c=n{"x":1}`, `t(c) "booked"`, "u again"}},
		{"a result nobody heard", []string{ask, again}, []Interrupt{left},
			[]string{"u ask", `a c=n{"x":1}`, `t(c) "booked"`, "u again"}},
		{"a result nobody heard, no new message", []string{ask, `{"id":"b","role":"assistant","content":"well"}`}, []Interrupt{left},
			[]string{"u ask", "a well", `a c=n{"x":1}`, `t(c) "booked"`}},
		{"a result nobody heard, the call shown", []string{ask, callC, again}, []Interrupt{left},
			[]string{"u ask", `a c=n{"x":1}`, `t(c) "booked"`, "u again"}},
		{"a call the client says was cancelled", []string{ask, callC, strings.Replace(first, "first", "cancelled", 1), again}, []Interrupt{left},
			[]string{"u ask", `a c=n{"x":1}`, `t(c) "booked"`, "u again"}},
		{"a call the client says was cancelled, the outcome unknown", []string{ask, callC, first, again}, []Interrupt{unknown},
			[]string{"u ask", `a c=n{"x":1}`, "t(c) " + notKnown, "u again"}},
		{"a call that broke off on the wire", []string{ask, half, again}, []Interrupt{left},
			[]string{"u ask", "a well c=n{}", `t(c) "booked"`, "u again"}},
		{"another call with the id of ours", []string{ask, callC2, second, again}, []Interrupt{left},
			[]string{"u ask", `a c=n{"x":2}`, "t(c) second", `a call_1=n{"x":1}`, `t(call_1) "booked"`, "u again"}},
		{"our call, and another with its id", []string{ask, callC, again, callC2, second}, []Interrupt{left},
			[]string{"u ask", `a c=n{"x":1}`, `t(c) "booked"`, "u again", `a call_1=n{"x":2}`, "t(call_1) second"}},
		{"a question nobody answered", []string{ask, callC, again}, []Interrupt{pending},
			[]string{"u ask", `a c=n{"x":1}`, "t(c) " + noResult, "u again"}},
		{"a question nobody answered, not shown", []string{ask, again}, []Interrupt{pending}, []string{"u ask", "u again"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var sent []agui.Message
			if err := json.Unmarshal([]byte("["+strings.Join(tc.sent, ",")+"]"), &sent); err != nil {
				t.Fatal(err)
			}
			got, err := requestOf(t, history(sent, tc.known))
			if err != nil {
				t.Error(err)
			}
			if want := strings.Join(tc.want, "\n"); got.String() != want {
				t.Errorf("\n got %s\nwant %s", strings.ReplaceAll(got.String(), "\n", "\n     "), strings.ReplaceAll(want, "\n", "\n     "))
			}
		})
	}
}

// TestLongerHistoryKeepsIDs: what is added at the end changes nothing before it, so a
// server that keeps the beginning of a prompt finds it again.
func TestLongerHistoryKeepsIDs(t *testing.T) {
	var sent []agui.Message
	text := "[" + strings.Join([]string{ask, callC, first, again, callC, second, ask, callC2, first, again}, ",") + "]"
	if err := json.Unmarshal([]byte(text), &sent); err != nil {
		t.Fatal(err)
	}
	whole, err := requestOf(t, history(sent, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 4, 7, 10} {
		part, err := requestOf(t, history(sent[:n], nil))
		if err != nil || !strings.HasPrefix(whole.String(), part.String()) {
			t.Errorf("%v\n%s\nis no beginning of\n%s", err, part, whole)
		}
	}
}
