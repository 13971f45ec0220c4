package probe

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
)

// TestTokenStaysSecret: an agent that sends the token back does not get it into
// the recording, the matrix or what is told.
func TestTokenStaysSecret(t *testing.T) {
	_, rec, told := probed(t, deskScenario(t), "echo")
	dir := t.TempDir()
	if err := rec.Write(dir); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	m := Evaluate(rec)
	if err := errors.Join(m.WriteText(&all), m.WriteJSON(&all)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&all, "%+v %+v", told, rec)
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	if len(files) < 60 || !strings.Contains(all.String(), redacted) {
		t.Fatalf("%d files", len(files))
	}
	for _, leak := range []string{secret, `s3cr3t`, "desk.test", "key=hidden"} {
		if strings.Contains(all.String(), leak) {
			t.Errorf("%q got out", leak)
		}
	}
}

// TestShortToken: what the agent says must not change because a token is a part of
// its words.
func TestShortToken(t *testing.T) {
	for token, want := range map[string]string{"t": "t is a part of it, at least", "a-secret": "[secret] is a part of it, at least"} {
		agent := answers(200, "text/event-stream", `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}

data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"`+token+` is a part of it, at least"}

data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}

`)
		rec, err := Run(t.Context(), Config{
			URL: "http://a.test/", Token: agentclient.Secret(token), Scenario: Scenario{Name: "a", Messages: []string{"hello"}},
			HTTPClient: &http.Client{Transport: agenttest.InProcess(agent)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := view(&rec.Exchanges[0]); len(got.texts) != 1 || got.texts[0] != want || !got.finished() {
			t.Errorf("with the token %q: %q, %s", token, got.texts, rec.Exchanges[0].Body)
		}
	}
}
