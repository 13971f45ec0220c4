package refund

import (
	"encoding/json"
	"testing"

	"cairn/agenthost"
)

// TestDecide: only a clear yes issues, in whole cents and within bounds.
func TestDecide(t *testing.T) {
	for payload, want := range map[string]float64{
		`{"approved":true}`:                  47.5,
		`{"approved":true,"amount":20}`:      20,
		`{"approved":true,"amount":20.005}`:  20.01,
		`{"approved":true,"amount":0.01}`:    0.01,
		`{"approved":true,"amount":100000}`:  100000,
		`{"approved":true,"note":"fine"}`:    47.5,
		`{"approved":true,"amount":0.001}`:   0,
		`{"approved":true,"amount":0}`:       0,
		`{"approved":true,"amount":-5}`:      0,
		`{"approved":true,"amount":100001}`:  0,
		`{"approved":true,"amount":"20"}`:    0,
		`{"approved":true,"amount":null}`:    0,
		`{"approved":true,"amount":true}`:    0,
		`{"approved":true,"amount":1e999}`:   0,
		`{"approved":"true"}`:                0,
		`{"approved":1}`:                     0,
		`{"Approved":true}`:                  0,
		`{"approved":false,"amount":20}`:     0,
		`{"approved":true,"approved":false}`: 0,
		`{}`:                                 0,
		`true`:                               0,
		`"yes"`:                              0,
		`[{"approved":true}]`:                0,
		``:                                   0,
	} {
		r, _ := decide(Draft{47.5, "cus_a8x2k", "Duplicate charge"}, &agenthost.Resume{Payload: json.RawMessage(payload)})
		if want == 0 && (r.Status != Cancelled || r.ID != "" || r.Amount != 47.5) || want != 0 && (r.Status != Issued || r.Amount != want || r.ID != "re_demo__a8x2k") {
			t.Errorf("%s: %+v, want %g", payload, r, want)
		}
	}
	yes := json.RawMessage(`{"approved":true}`)
	if r, _ := decide(Draft{1, "cus_x", "y"}, &agenthost.Resume{Cancelled: true, Payload: yes}); r.Status != Cancelled {
		t.Errorf("cancelled returned %+v", r)
	}
	if r, word := decide(Draft{1, "cus_x", "y"}, &agenthost.Resume{Payload: yes}); r.ID != "re_demo_cus_x" || word != "Refund of $1.00 issued to `cus_x`. Refund ID: `re_demo_cus_x`" {
		t.Errorf("a short id returned %+v, %s", r, word)
	}
}

// TestArgumentsAreBounded: a model may draft and delegate only what a user can
// be asked about.
func TestArgumentsAreBounded(t *testing.T) {
	draft, task := draftRefund().Input, researcher().As.Input
	for _, tc := range []struct {
		schema agenthost.Schema
		args   string
		ok     bool
	}{
		{draft, `{"amount":47.5,"customer_id":"cus_a8x2k","reason":"Duplicate charge"}`, true},
		{draft, `{"amount":0,"customer_id":"cus_a8x2k","reason":"x"}`, false},
		{draft, `{"amount":100000.01,"customer_id":"cus_a8x2k","reason":"x"}`, false},
		{draft, `{"amount":"47","customer_id":"cus_a8x2k","reason":"x"}`, false},
		{draft, `{"amount":1,"customer_id":"cus_a8x2k` + "`" + `","reason":"x"}`, false},
		{draft, `{"amount":1,"customer_id":"cus_a8x2k","reason":""}`, false},
		{draft, `{"amount":1,"customer_id":"cus_a8x2k"}`, false},
		{draft, `{"amount":1,"customer_id":"cus_a8x2k","reason":"x","status":"issued"}`, false},
		{task, `{"description":"x","subagent_type":"refund_researcher"}`, true},
		{task, `{"description":"x","subagent_type":"other"}`, false},
		{task, `{"description":"","subagent_type":"refund_researcher"}`, false},
		{lookupCustomer().Input, `{"customer_id":"cus_a8x2k"}`, true},
		{lookupCustomer().Input, `{}`, false},
	} {
		if err := tc.schema.Check([]byte(tc.args)); (err == nil) != tc.ok {
			t.Errorf("%.80s: %v", tc.args, err)
		}
	}
}
