package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
	"cairn/agui"
)

// TestOddAnswers: what an agent sends that is no event, not at its place or too much does
// not end a run or cost its words, and a thread that is read again is the one that was seen.
func TestOddAnswers(t *testing.T) {
	const (
		begin   = `{"type":"RUN_STARTED","threadId":"T","runId":"RUN"}`
		done    = `{"type":"RUN_FINISHED","threadId":"T","runId":"RUN"}`
		hello   = `{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"Hello."}`
		before  = `{"type":"RUN_STARTED","threadId":"T","runId":"before"}`
		already = `{"type":"RUN_FINISHED","threadId":"T","runId":"before"}`
		old     = `{"type":"TEXT_MESSAGE_CHUNK","messageId":"o","role":"assistant","delta":"Earlier."}`
		broke   = `{"type":"RUN_ERROR","message":"commit failed"}`
		state   = `{"type":"STATE_SNAPSHOT","snapshot":{"n":1}}`
	)
	large := `{"x":"` + strings.Repeat("y", 150_000) + `"}`
	firehose := []string{begin}
	for range 40 {
		firehose = append(firehose, `{"type":"RAW","event":`+large+`}`,
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"word ","rawEvent":`+large+`}`)
	}
	for _, c := range []struct {
		name, says string
		frames     []string
		state      string
		diverged   bool
		outcome    agentclient.Outcome // "" is a run that ended well
	}{
		{"NaN in a snapshot", "Hello.", []string{begin, `{"type":"STATE_SNAPSHOT","snapshot":{"score":NaN,"title":"x"}}`, hello, done}, `{"score":null,"title":"x"}`, false, ""},
		{"Infinity in a delta", "Hello.", []string{begin, state, `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/m","value":[-Infinity, Infinity]}]}`, hello, done}, `{"n":1,"m":[null, null]}`, false, ""},
		{"NaN in metadata", "Hello.", []string{begin, strings.Replace(hello, `"role"`, `"metadata":{"p":NaN},"role"`, 1), done}, `{}`, false, ""},
		{"no JSON", "Hello.", []string{begin, state, "oops", hello, done}, `{"n":1}`, false, ""},
		{"[DONE] in the middle", "Hello.", []string{begin, hello, "[DONE]", done}, `{}`, false, ""},
		{"no object", "Hello.", []string{begin, "7", hello, done}, `{}`, false, ""},
		{"no type", "Hello.", []string{begin, "{}", hello, done}, `{}`, false, ""},
		{"a wrong member", "Hello.", []string{begin, `{"type":"TEXT_MESSAGE_CONTENT","messageId":7,"delta":"STATE_DELTA"}`, hello, done}, `{}`, false, ""},
		{"no UTF-8", "Hello.", []string{begin, "\xff\xfe", hello, done}, `{}`, false, ""},
		{"a broken delta", "Hello.", []string{begin, state, `{"type":"STATE_DELTA","delta":[{]}`, hello, done}, `{"n":1}`, true, ""},
		{"a broken delta, large", "Hello.", []string{begin, state, `{"type":"STATE_DELTA","delta":[{` + strings.Repeat(" ", 5000) + `]}`, hello, done}, `{"n":1}`, true, ""},
		{"a broken snapshot, and a whole one", "Hello.", []string{begin, `{"type":"STATE_SNAPSHOT","snapshot":{]}`, state, hello, done}, `{"n":1}`, false, ""},
		{"an end with something behind it", "Hello.", []string{begin, done + strings.Repeat(" ", 3000) + "x", hello, done}, `{}`, false, ""},
		{"nothing but garbage", "", []string{"oops", "oops"}, `{}`, false, agentclient.OutcomeMalformed},
		{"garbage without end", "Hello.", append([]string{begin, hello}, strings.Split(strings.Repeat("oops ", 1001), " ")...), `{}`, false, agentclient.OutcomeMalformed},
		{"a firehose of raw events", strings.Repeat("word ", 40), append(firehose, done), `{}`, false, ""},
		{"two runs", "Hello.|Earlier.", []string{begin, hello, done, before, old, already}, `{}`, false, ""},
		{"an earlier run first", "Earlier.|Hello.", []string{before, old, already, begin, hello, done}, `{}`, false, ""},
		{"a run of its own", "Hello.", []string{before, hello, already}, `{}`, false, ""},
		{"an error after the end", "Hello.", []string{begin, hello, state, done, broke}, `{"n":1}`, false, agentclient.OutcomeFailed},
		{"an error after another run", "Hello.|Earlier.", []string{begin, hello, done, before, old, broke}, `{}`, false, agentclient.OutcomeFailed},
		{"words after the end", "Hello.", []string{begin, hello, done, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"b","delta":"late"}`}, `{}`, false, ""},
		{"a second run that breaks off", "Hello.|Earlier.", []string{begin, hello, done, before, old}, `{}`, false, agentclient.OutcomeTruncated},
		{"cut in two", "Hello.", []string{begin, hello, "\x00" + done[:40]}, `{}`, false, agentclient.OutcomeTruncated},
	} {
		for _, open := range []bool{false, true} {
			if open && (c.outcome == agentclient.OutcomeTruncated || c.outcome == agentclient.OutcomeMalformed) {
				continue // it would wait for more
			}
			t.Run(fmt.Sprintf("%s, stays open %v", c.name, open), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				agent := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					var in agui.RunAgentInput
					_ = json.NewDecoder(r.Body).Decode(&in)
					rw.Header().Set("Content-Type", "text/event-stream")
					for _, frame := range c.frames {
						frame = strings.ReplaceAll(strings.ReplaceAll(frame, `"RUN"`, `"`+in.RunID+`"`), `"T"`, `"`+in.ThreadID+`"`)
						if cut, ok := strings.CutPrefix(frame, "\x00"); ok {
							_, _ = io.WriteString(rw, "data: "+cut)
							return
						}
						_, _ = io.WriteString(rw, "data: "+frame+"\n\n")
					}
					_ = http.NewResponseController(rw).Flush()
					if open {
						<-r.Context().Done()
					}
				}))
				defer agent.Close()
				client, err := agentclient.New(agentclient.Config{URL: agent.URL, HTTPClient: agent.Client()})
				if err != nil {
					t.Fatal(err)
				}
				w.upstreams[demo] = Upstream{Agent: client}
				w.send("m1", "Hi")
				read := w.settled()
				var says []string
				for _, e := range read.Conversation.Entries() {
					if e.Message != nil && e.Message.Role == agui.RoleAssistant {
						says = append(says, e.Message.Text())
					}
				}
				if got := strings.Join(says, "|"); got != c.says {
					t.Errorf("says %q, want %q", got, c.says)
				}
				if got := string(read.Conversation.State()); got != c.state || read.Conversation.Diverged() != c.diverged {
					t.Errorf("state %s, diverged %v", got, read.Conversation.Diverged())
				}
				outcome := agentclient.Outcome("")
				if read.Run.Failure != nil {
					outcome = read.Run.Failure.End.Outcome
				}
				if outcome != c.outcome {
					t.Errorf("ended %q, want %q", outcome, c.outcome)
				}
				if read.Bytes > 600_000 {
					t.Errorf("%d bytes are stored", read.Bytes)
				}
				kept, err := w.threads.Use(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				defer kept.Release()
				var seen string
				_ = kept.Do(t.Context(), func(s *agentclient.Session) error { seen = told(s.Conversation); return nil })
				if again := told(read.Conversation); again != seen {
					t.Errorf("seen\n%s\nread again\n%s", seen, again)
				}
			})
		}
	}
}

// told is what a conversation says of itself.
func told(c *conversation.Conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v %s %v\n%+v\n", c.Run(), c.State(), c.Diverged(), c.Notes())
	for _, e := range c.Entries() {
		if e.Message != nil {
			fmt.Fprintf(&b, "%s %s %q\n", e.Message.ID, e.Message.Status, e.Message.Text())
		}
	}
	return b.String()
}
