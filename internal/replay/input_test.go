package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"cairn/agui/sse"
)

const (
	begin = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	end   = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

func TestWhatIsNoEventStream(t *testing.T) {
	for _, tc := range []struct{ name, in, says string }{
		{"empty", "", "the input is empty"},
		{"blank", "\uFEFF \r\n\n", "the input is empty"},
		{"prose", "\n\nhello\nworld", "line 3 is not an event: hello (neither"},
		{"escapes", "\x1b[2Jhello", `line 1 is not an event: \x1b[2Jhello`},
		{"html", "<!DOCTYPE html>", "line 1 is not an event: <!DOCTYPE html>"},
		{"error body", `{"detail":"not found"}`, `line 1 is not an event: {"detail":"not found"} (`},
		{"comments only", ": ping\n\n: ping\n\n", "there is no event"},
		{"empty array", " [ ] ", "there is no event"},
		{"sse", "\n\nid: 7\ndata: oops\n\n", "line 4 is not an event: oops"},
		{"sse, many", strings.Repeat("data: oops\n\n", 9) + "data: " + begin + "\n\n", "line 1 is not an event: oops"},
		{"sse, crlf", ": c\r\n\r\ndata: oops\r\n\r\n", "line 3 is not an event: oops"},
		{"sse, cr", ": c\r\rdata: oops\r\r", "line 3 is not an event: oops"},
		{"sse, two lines", "retry: 1\n\ndata: {\ndata: }\n\n", `line 3 is not an event: {\n} (`},
		{"sse, only half an event", "data: {\"type\":", "line 1 is not an event"},
		{"lines", begin + "\n\n" + end + "\nnull\n", "line 4 is not an event: null"},
		{"lines, cut inside", begin + "\n{\"type\":\n" + end, `line 2 is not an event: {"type":`},
		{"array", "[\n" + begin + ",\n\n7,\n" + end + "]", "line 4 is not an event: 7"},
		{"array, second on a line", "[" + begin + ",{},\n" + end + "]", "line 1 is not an event: {}"},
		{"array, bad JSON", "[\n" + begin + ",\n}", "line 3 is not an event: }"},
		{"array, no comma", "[\n" + begin + "\n" + end + "]", "line 3 is not an event: "},
		{"array, more behind", "[" + end + "]\n\nx", "line 3 is not an event: x (it follows the array)"},
		{"long", "\n\ndata: " + strings.Repeat("x", 1000), "line 3 is not an event: " + strings.Repeat("x", 120) + "… ("},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tc.in))
			var input *InputError
			if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), tc.says) {
				t.Errorf("%v, want %q", err, tc.says)
			}
		})
	}
	for name, frame := range map[string]string{"oops": "data: oops\n\n", "done too early": "data: [DONE]\n\n", "two lines": "data: {\ndata: }\n\n",
		"wrong member": "data: {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":7}\n\n", "no UTF-8": "data: \xff\n\n", "no type": "data: {}\n\n"} {
		s, err := Read(strings.NewReader("data: " + begin + "\n\n" + frame + "data: " + end + "\n\n"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r := s.Report(); len(r.Findings) != 1 || r.Findings[0].Rule != "1.1" || r.Findings[0].Frame != 2 || r.Runs[0].Status != "finished" || r.Events != 2 {
			t.Errorf("%s: %+v", name, r)
		}
		s, err = Read(strings.NewReader(frame + "data: " + begin + "\n\n" + "data: " + end + "\n\n"))
		if err != nil {
			t.Errorf("%s first: %v", name, err)
			continue
		}
		if r := s.Report(); r.Findings[0].Rule != "1.1" || r.Findings[0].Frame != 1 || r.Runs[0].Status != "finished" || r.Violations != len(r.Findings) {
			t.Errorf("%s first: %+v", name, r)
		}
	}
	if _, err := Read(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the reader's error: %v", err)
	}
}

// TestFindingsOfRuns: what runs say of themselves that does not fit is found, with its rule
// and how much it weighs.
func TestFindingsOfRuns(t *testing.T) {
	interrupts := func(list string) string {
		return strings.TrimSuffix(end, "}") + `,"outcome":{"type":"interrupt","interrupts":[` + list + `]}}`
	}
	for _, tc := range []struct {
		name, in, out string
		level         Level
		rule, says    string
	}{
		{"a newer version", strings.TrimSuffix(begin, "}") + `,"protocolVersion":"7.3"}`, end, LevelNote, "8.4", "newer than"},
		{"a version that cannot be read", strings.TrimSuffix(begin, "}") + `,"protocolVersion":"v1"}`, end, LevelViolation, "1.3", "cannot be read"},
		{"our version", strings.TrimSuffix(begin, "}") + `,"protocolVersion":"1.0"}`, end, "", "", ""},
		{"an older version", strings.TrimSuffix(begin, "}") + `,"protocolVersion":"0.9"}`, end, "", "", ""},
		{"another run ends", begin, `{"type":"RUN_FINISHED","threadId":"t","runId":"other"}`, LevelViolation, "1.3", `run "other"`},
		{"another thread ends", begin, `{"type":"RUN_FINISHED","threadId":"other","runId":"r"}`, LevelViolation, "1.3", `thread "other"`},
		{"interrupts with one id", begin, interrupts(`{"id":"i","reason":"x"},{"id":"i","reason":"x"}`), LevelViolation, "3.2", `id "i"`},
		{"an interrupt with an empty id", begin, interrupts(`{"id":"","reason":"x"}`), LevelViolation, "3.2", "no id"},
		{"an interrupt with an empty reason", begin, interrupts(`{"id":"i","reason":""}`), LevelViolation, "3.2", "no reason"},
		{"metadata that is null", begin, strings.TrimSuffix(end, "}") + `,"metadata":null}`, LevelNote, "8.4", "metadata: null"},
		{"NaN", begin, strings.TrimSuffix(end, "}") + `,"result":{"score":NaN}}`, LevelViolation, "1.1", "NaN or Infinity"},
		{"a status that answers nothing", strings.TrimSuffix(begin, "}") + `,"input":{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i","status":"done"}]}}`, end, LevelNote, "8.4", `unknown status "done"`},
	} {
		r := read(t, "data: "+tc.in+"\n\ndata: "+tc.out+"\n\n").Report()
		if tc.says == "" {
			if len(r.Findings) != 0 {
				t.Errorf("%s: %+v", tc.name, r.Findings)
			}
			continue
		}
		if len(r.Findings) != 1 || r.Findings[0].Level != tc.level || r.Findings[0].Rule != tc.rule || !strings.Contains(r.Findings[0].Text, tc.says) || r.Clean != (tc.level == LevelNote) {
			t.Errorf("%s: %+v", tc.name, r.Findings)
		}
	}
	many := read(t, "data: "+begin+"\n\n"+strings.Repeat("data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"none\",\"delta\":\"x\"}\n\n", 1000)+"data: "+end+"\n\n").Report()
	if many.Unlisted != 0 || many.Violations < 1000 || many.Findings[len(many.Findings)-1].Frame != 1001 {
		t.Errorf("%d findings, %d unlisted", len(many.Findings), many.Unlisted)
	}
}

// A connection that breaks off leaves a stream with a violation.
func TestCutStreams(t *testing.T) {
	half := end[:len(end)-5]
	for name, in := range map[string]string{
		"sse":              "data: " + begin + "\n\ndata: " + half,
		"lines":            begin + "\n" + half,
		"array":            "[" + begin + "," + half,
		"array, after one": "[" + begin,
		"array, comma":     "[" + begin + ",\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, in).Report()
			if r.Clean || r.Violations != 2 || len(r.Runs) != 1 || r.Runs[0].Status != "truncated" {
				t.Errorf("%s", document(t, r))
			}
		})
	}
	r := read(t, "data: "+begin+"\n\ndata: "+end).Report()
	if !r.Clean {
		t.Errorf("a whole last event without its blank line: %s", document(t, r))
	}
}

// Lines that a reader of event streams passes over are told, with their number:
// they may be events somebody damaged.
func TestOddLines(t *testing.T) {
	const first, last = "data: " + begin + "\n\n", "data: " + end + "\n\n"
	for _, tc := range []struct{ name, in, want string }{
		{"none", ": c\nid: 1\nevent: e\nretry: 5\ndata\n" + first + last, ""},
		{"misspelled", first + "dta: {}\n\n" + last, "3 dta: {}"},
		{"prose between", first + "and then\r\n\r\n" + last + "bye", "3 and then|7 bye"},
		{"in a frame", first + "Data: x\n" + last, "3 Data: x"},
		{"escapes", first + "\x1b[2J\n" + last, "3 \x1b[2J"},
		{"many", first + strings.Repeat("x\n", maxNotes+10) + "\n" + last, ""},
	} {
		r := read(t, tc.in).Report()
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%d %s", f.Line, strings.TrimPrefix(f.Text, "a line that is no field of an event stream; ignored: ")))
		}
		if !r.Clean || r.Events != 2 {
			t.Errorf("%s: %s", tc.name, document(t, r))
		}
		if tc.name == "many" {
			if len(got) != maxNotes {
				t.Errorf("%d notes", len(got))
			}
			continue
		}
		if all := strings.Join(got, "|"); all != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, all, tc.want)
		}
	}
}

// A value of the wrong type costs its event and is a violation.
func TestWrongValue(t *testing.T) {
	r := read(t, begin+"\n\n"+`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":5}`+"\n"+end).Report()
	if r.Violations != 1 || r.Events != 2 || r.Findings[0].Frame != 2 || r.Findings[0].Line != 3 || r.Findings[0].Rule != "1.1" {
		t.Errorf("%s", document(t, r))
	}
}

// A question that a run waits for is asked once, and no longer when it went on or failed.
func TestPending(t *testing.T) {
	const (
		asks   = `{"type":"CUSTOM","name":"on_interrupt","value":"sure?"}`
		paused = `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"why"}]}}`
		failed = `{"type":"RUN_ERROR","message":"no"}`
	)
	for _, tc := range []struct {
		name   string
		events []string
		want   int
	}{
		{"paused", []string{begin, paused}, 1},
		{"both ways", []string{begin, asks, paused}, 2},
		{"the older way", []string{begin, asks, end}, 1},
		{"the end twice", []string{begin, paused, paused, asks}, 1},
		{"failed", []string{begin, asks, failed}, 0},
		{"went on", []string{begin, asks, paused, begin, end}, 0},
		{"asks again", []string{begin, paused, begin, asks, end}, 1},
		{"cut", []string{begin, asks}, 0},
	} {
		if r := read(t, strings.Join(tc.events, "\n")).Report(); len(r.Pending) != tc.want {
			t.Errorf("%s: %d pending, want %d", tc.name, len(r.Pending), tc.want)
		}
	}
}

// Lines are counted however small the pieces are that are asked for.
func TestLineReader(t *testing.T) {
	const lines = "x\r\n\r\ndata: 1\rdata: 2\n\n"
	r := &lineReader{rest: []byte(lines)}
	all, err := io.ReadAll(iotest.OneByteReader(r))
	if err != nil || string(all) != lines || r.line != 5 || r.data != 3 {
		t.Errorf("%q, line %d, first data in line %d, %v", all, r.line, r.data, err)
	}
}

// A missing member is a violation each time; an unknown one is reported once.
func TestDiagnostics(t *testing.T) {
	const piece = `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x","odd":1}`
	r := read(t, begin+"\n"+piece+"\n"+piece+"\n"+`{"type":"CUSTOM","value":1}`+"\n"+end).Report()
	if r.Violations != 1 || len(r.Findings) != 2 {
		t.Fatalf("%s", document(t, r))
	}
	odd, missing := r.Findings[0], r.Findings[1]
	if odd.Frame != 2 || odd.Level != LevelNote || odd.Rule != "8.4" || odd.Repeats != 1 || !strings.Contains(odd.Text, `"odd"`) {
		t.Errorf("%+v", odd)
	}
	if missing.Frame != 4 || missing.Rule != "1.1" || !strings.Contains(missing.Text, "name") {
		t.Errorf("%+v", missing)
	}
	if said := text(t, r); !strings.Contains(said, "(2 times in all)") {
		t.Error(said)
	}
	var b strings.Builder
	b.WriteString(begin)
	for i := range 1000 {
		fmt.Fprintf(&b, "\n"+`{"type":"CUSTOM","name":"n","value":1,"odd%d":1}`, i)
	}
	if r := read(t, b.String()+"\n"+end).Report(); !r.Clean || len(r.Findings) != maxNotes {
		t.Errorf("%d notes", len(r.Findings))
	}
}

func TestDone(t *testing.T) {
	for _, in := range []string{"data: " + begin + "\n\ndata: " + end + "\n\ndata: [DONE]\n\n", begin + "\n" + end + "\n[DONE]\n"} {
		r := read(t, in).Report()
		if !r.Clean || len(r.Findings) != 1 || r.Findings[0].Level != LevelNote || r.Findings[0].Frame != 3 {
			t.Errorf("%s", document(t, r))
		}
	}
}

func TestSize(t *testing.T) {
	room := strings.Repeat("x", sse.DefaultMaxFrame+1)
	in := "data: " + begin + "\n\ndata: " + `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"` + room + `"}` + "\n\ndata: " + end + "\n\n:"
	in += strings.Repeat(" ", MaxBytes-len(in))
	if r := read(t, in).Report(); !r.Clean || len(r.Entries[0].Text) != len(room) {
		t.Errorf("%d bytes are not read as they are", len(in))
	}
	if _, err := Read(strings.NewReader(in + " ")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one byte too many: %v", err)
	}
}

// Deeply nested streams, and masses of events, still make a report.
func TestHostileStreams(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	deep := nested(5000)
	var b strings.Builder
	fmt.Fprintln(&b, begin)
	fmt.Fprintf(&b, `{"type":"STATE_SNAPSHOT","snapshot":{"deep":%s}}`+"\n", deep)
	parent := ""
	for i := range 300 {
		fmt.Fprintf(&b, `{"type":"SUBAGENT_STARTED","subagentRunId":"s%d","name":"n"%s}`+"\n", i, parent)
		parent = fmt.Sprintf(`,"parentSubagentRunId":"s%d"`, i)
	}
	for range 1000 { // R10 all, 6.5 the first ones
		fmt.Fprintln(&b, `{"type":"TEXT_MESSAGE_END","messageId":"never"}`)
		fmt.Fprintln(&b, `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/never"}]}`)
	}
	fmt.Fprintln(&b, end)
	r := read(t, b.String()).Report()
	rules := map[string]int{}
	for _, found := range r.Findings {
		rules[found.Rule]++
	}
	if rules["R10"] != 1000 || rules["6.5"] == 0 || rules["6.5"]+r.Unlisted != 1000 || r.Violations-len(r.Findings) != r.Unlisted {
		t.Errorf("%d violations, %d of them not listed, by rule %v", r.Violations, r.Unlisted, rules)
	}
	var back Report
	if err := json.Unmarshal([]byte(document(t, r)), &back); err != nil || back.State[0] != '"' {
		t.Errorf("%v, state %.20s", err, back.State)
	}
	levels := 0
	for at := back.Entries; len(at) > 0; at = at[0].Entries {
		levels++
	}
	if levels != maxNesting {
		t.Errorf("subagents stand %d levels deep", levels)
	}
	indented := read(t, begin+"\n"+`{"type":"STATE_SNAPSHOT","snapshot":{"deep":`+nested(900)+"}}\n"+end).Report()
	if said := text(t, indented); len(said) > 10_000 {
		t.Errorf("1,800 brackets take %d bytes", len(said))
	}
	if said := text(t, r); len(said) > 2<<20 || strings.Count(said, "subagent n") != 300 {
		t.Errorf("%d bytes, %d subagents", len(said), strings.Count(said, "subagent n"))
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*.sse"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, seed := range []string{
		begin + "\n" + end, "[" + begin + "," + end + "]", "[" + begin, "data: " + begin + "\r\rdata: [DONE]", "\x9b\x1b[", "data:\r\ndata", "{}", "[", "[1 2",
		":\nodd\ndata: " + begin, "data: oops\n\ndata: " + begin + "\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := Read(bytes.NewReader(in))
		if err != nil {
			var input *InputError
			if !errors.As(err, &input) {
				t.Fatalf("%T %v", err, err)
			}
			harmless(t, err.Error())
			return
		}
		lines := 1 + strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(in)), "\n")
		r := s.Report()
		for _, found := range r.Findings {
			if found.Line < 1 || found.Line > lines || found.Frame < 1 || found.Frame > s.Frames || found.Rule == "" {
				t.Fatalf("%+v of %d lines, %d frames", found, lines, s.Frames)
			}
		}
		harmless(t, strings.ReplaceAll(strings.ReplaceAll(text(t, r), "\n", ""), "\t", ""))
		doc := strings.TrimSuffix(document(t, r), "\n")
		harmless(t, doc)
		var back Report
		if err := json.Unmarshal([]byte(doc), &back); err != nil || document(t, &back) != doc+"\n" {
			t.Fatalf("%v\n%s", err, doc)
		}
	})
}

func harmless(t *testing.T, s string) {
	t.Helper()
	if i := strings.IndexFunc(s, risky); i >= 0 {
		t.Fatalf("%q reaches the terminal in %.200q", s[i:i+1], s)
	}
}
