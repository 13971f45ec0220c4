package probe

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
)

// TestMatrixText holds what a terminal shows, whatever an agent says.
func TestMatrixText(t *testing.T) {
	rec := everything(t)
	rec.Date = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	rec.Versions = map[string]string{"bridge": "1.2.3", "core": "4\x1b[2J"}
	rec.Planned = 35
	rec.Path = "/agent/mastra"
	addStep(t, rec, SurfaceMessages, "prompt 1", "begin\nsay Hel\nsay lo\nend\n")
	addStep(t, rec, SurfaceTools, stepCall, "begin\nTOOL_CALL_START {\"toolCallId\":\"c\",\"toolCallName\":\"\\u001b[31mred\\u202e\"}\nTOOL_CALL_END {\"toolCallId\":\"c\"}\nend\n")
	addStep(t, rec, SurfaceErrors, stepModelError, "begin\nfail \x1b]0;title\x07 \u4e2d\u6587\nSTATE_SNAPSHOT {\"snapshot\":{}}\n")
	m := Evaluate(rec)
	var out bytes.Buffer
	if err := m.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "matrix.txt", out.String())
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%q gets through", out.String()[i:i+4])
	}
	out.Reset()
	if err := m.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back Matrix
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || !reflect.DeepEqual(back, m) {
		t.Errorf("%v\n got %+v\nwant %+v", err, back, m)
	}
}

func TestWrap(t *testing.T) {
	got := wrap("one two three fourteenletters x", 7)
	if want := []string{"one two", "three", "fourteenletters", "x"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if got := wrap("seen in [07 frame 3].", 10); !reflect.DeepEqual(got, []string{"seen in", "[07 frame 3]."}) {
		t.Errorf("%q", got)
	}
	if got := wrap("", 7); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
