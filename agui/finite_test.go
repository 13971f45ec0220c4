package agui

import (
	"strings"
	"testing"
)

// TestNotNumbers: what encoders write in the place of numbers that JSON does not have is
// null, and text that looks like it stays.
func TestNotNumbers(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"score":NaN,"title":"x"}`, `{"score":null,"title":"x"}`},
		{`[Infinity,-Infinity,NaN,-1]`, `[null,null,null,-1]`},
		{`{"a":"NaN and -Infinity","b":[NaN]}`, `{"a":"NaN and -Infinity","b":[null]}`},
		{`{"a":"quote \" NaN","b":Infinity}`, `{"a":"quote \" NaN","b":null}`},
		{`{"NaN":1,"b":{"c":NaN}}`, `{"NaN":1,"b":{"c":null}}`},
	} {
		ev, err := Decode([]byte(`{"type":"STATE_SNAPSHOT","snapshot":` + c.in + `}`))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := string(ev.(*StateSnapshot).Snapshot); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
		var d Decoder
		if _, err := d.Decode([]byte(`{"type":"CUSTOM","name":"n","value":` + c.in + `}`)); err != nil || len(d.Diagnostics()) != 1 {
			t.Errorf("%s: %v, %v", c.in, err, d.Diagnostics())
		}
	}
	for _, bad := range []string{`{"type":"CUSTOM","name":"n","value":NaNa}`, `{"type":"CUSTOM","name":"n","value":"NaN`, `NaN`, `{"type":NaN}`} {
		if ev, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%s is %T", bad, ev)
		}
	}
	if _, found := finite([]byte(strings.Repeat(`"\`, 1000) + `NaN`)); found {
		t.Error("found in an unfinished string")
	}
}
