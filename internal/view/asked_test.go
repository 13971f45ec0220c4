package view

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"cairn/agentclient/interrupt"
	"cairn/components"
)

func TestRowsOfAnUnknownQuestion(t *testing.T) {
	long := strings.Repeat("ü", 400)
	for name, tc := range map[string]struct {
		payload, args string
		want          []components.Field
	}{
		"members in their order": {`{"vendor":"Blue Finch","amount_usd":220.50,"receiptAttached":true,"memo":""}`, "", []components.Field{
			{Label: "Vendor", Value: "Blue Finch"}, {Label: "Amount usd", Value: "220.50"}, {Label: "Receipt attached", Value: "yes"}}},
		"arguments when there is no payload": {"", `{"site":"North Pines"}`, []components.Field{{Label: "Site", Value: "North Pines"}}},
		"what is nested stays JSON":          {`{"a":{"b":[1,null]},"c":null}`, "", []components.Field{{Label: "A", Value: `{"b":[1,null]}`}}},
		"no object":                          {`["a"]`, `"text"`, nil},
		"nothing":                            {"", "", nil},
		"cut off":                            {`{"a":1,"b":`, "", []components.Field{{Label: "A", Value: "1"}}},
		"a long value":                       {`{"a":"` + long + `"}`, "", []components.Field{{Label: "A", Value: strings.Repeat("ü", 150) + "…"}}},
	} {
		got := rowsOf(interrupt.Pending{Payload: json.RawMessage(tc.payload), Args: json.RawMessage(tc.args)})
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
	// Members unknown to every profile are shown when there are no others.
	rest := interrupt.Pending{
		Metadata: map[string]json.RawMessage{"vendor": json.RawMessage(`"Blue Finch"`), "amount": json.RawMessage(`{"usd":220}`), "none": json.RawMessage(`null`)},
		Extra:    map[string]json.RawMessage{"site": json.RawMessage(`"A7"`)},
	}
	want := []components.Field{{Label: "Amount", Value: `{"usd":220}`}, {Label: "Vendor", Value: "Blue Finch"}, {Label: "Site", Value: "A7"}}
	if got := rowsOf(rest); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	rest.Args = json.RawMessage(`{"a":1}`)
	if got := rowsOf(rest); len(got) != 1 || got[0].Label != "A" {
		t.Errorf("beside arguments: %+v", got)
	}
	many := "{" + strings.Repeat(`"k":1,`, 100) + `"z":1}`
	if n := len(rowsOf(interrupt.Pending{Payload: json.RawMessage(many)})); n != maxRows {
		t.Errorf("%d rows", n)
	}
}

// TestMessageThatIsData: a bridge that puts JSON into the message has said nothing
// to a person (measured: Strands in TypeScript).
func TestMessageThatIsData(t *testing.T) {
	for text, want := range map[string]string{
		"Approve running submit_expense?": "Approve running submit_expense?",
		`{"topic":"Q3"}`:                  "",
		"":                                "",
	} {
		if got := message(interrupt.Pending{Message: text}); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
