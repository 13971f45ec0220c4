package agenttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"cairn/agui"
)

// Requests that a real client sent to a real runtime fit, and what is played under the
// captured ids is what was captured, to the byte.
func TestCapturedRequestsFit(t *testing.T) {
	dir := filepath.Join("..", "testdata", "transcripts", "mastra")
	names := []string{
		"05-packing-list-create", "06-packing-list-add-lantern", "03-tool-call",
		"10-interrupt", "11-resume-approve", "14-interrupt-for-decline", "15-resume-decline-approved-false",
		"73-subagent-delegation",
	}
	sc := Scenario{Token: "test-token", Transport: MastraCommandTransport, History: true, State: true, Ordered: true}
	var inputs []agui.RunAgentInput
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(dir, name+".sse"))
		if err != nil {
			t.Fatal(err)
		}
		request, err := os.ReadFile(filepath.Join(dir, name+".request.json"))
		if err != nil {
			t.Fatal(err)
		}
		var captured struct{ Body agui.RunAgentInput }
		if err := json.Unmarshal(request, &captured); err != nil {
			t.Fatal(err)
		}
		step := Step{Name: name, Transcript: raw}
		if len(captured.Body.ForwardedProps) > len("{}") {
			step.Resume = AnyDecision
		}
		sc.Steps = append(sc.Steps, step)
		inputs = append(inputs, captured.Body)
	}
	c := serve(t, sc)
	c.token = "test-token"
	for i, in := range inputs {
		if got := c.ok(in); got != string(sc.Steps[i].Transcript) {
			t.Errorf("%s: played\n%s", names[i], got)
		}
	}
	if err := c.player.Err(); err != nil {
		t.Fatal(err)
	}
}
