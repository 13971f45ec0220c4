package agenthost_test

import (
	"bufio"
	"go/format"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agui"
)

const guide = "../docs/build-your-own-agent.md"

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func goBlocks(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, m := range regexp.MustCompile("(?s)\n```go\n(.*?)```").FindAllStringSubmatch(read(t, guide), -1) {
		list = append(list, m[1])
	}
	if len(list) != 5 {
		t.Fatalf("%d blocks of Go in the guide", len(list))
	}
	return list
}

// TestGuideShowsTheExample: the agent of the guide is the tested example, and a
// developer writes about sixty lines for it.
func TestGuideShowsTheExample(t *testing.T) {
	example := read(t, "example_test.go")
	blocks := goBlocks(t)
	lines := 0
	for _, b := range blocks[1:4] {
		if !strings.Contains(example, strings.TrimSpace(b)) {
			t.Errorf("not in example_test.go:\n%s", b)
		}
		for line := range strings.Lines(b) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	}
	if lines < 40 || lines > 65 {
		t.Errorf("the example has %d lines", lines)
	}
}

// TestGuideListsTheCodes: every code a run can fail with, and none besides.
func TestGuideListsTheCodes(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`code: +"([a-z_]+)"`).FindAllStringSubmatch(read(t, f), -1) {
			codes = append(codes, m[1])
		}
	}
	_, table, _ := strings.Cut(read(t, guide), "| code |")
	var listed []string
	for line := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cell, -1) {
			listed = append(listed, m[1])
		}
	}
	slices.Sort(codes)
	slices.Sort(listed)
	if codes = slices.Compact(codes); !slices.Equal(codes, listed) {
		t.Errorf("the codes are\n%v, listed are\n%v", codes, listed)
	}
}

// TestGuideRuns builds the guide's program and sends it the guide's requests.
func TestGuideRuns(t *testing.T) {
	t.Parallel()
	program := strings.Join(goBlocks(t), "\n")
	if pretty, err := format.Source([]byte(program)); err != nil || string(pretty) != program {
		t.Errorf("the program is not formatted: %v", err)
	}
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	source, overlay, shop := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "shop")
	where := mustJSON(t, map[string]any{"Replace": map[string]string{filepath.Join(root, "cmd", "shop", "main.go"): source}})
	for path, text := range map[string]string{source: program, overlay: where} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", shop, "./cmd/shop")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	url, stop := startShop(t, shop, dir)

	var bodies []string
	for _, m := range regexp.MustCompile(`(?m)^  -d '(.*)'$`).FindAllStringSubmatch(read(t, guide), -1) {
		bodies = append(bodies, m[1])
	}
	if len(bodies) != 2 {
		t.Fatalf("%d requests in the guide", len(bodies))
	}
	asked := post(t, url+"/agent/shop", bodies[0])
	if got := types(asked); got != "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END RUN_FINISHED" {
		t.Fatal(got)
	}
	id := find[*agui.RunFinished](t, asked).Outcome.Interrupts[0].ID
	answered := post(t, url+"/agent/shop", strings.ReplaceAll(bodies[1], "r1::CALL", id))
	if got := find[*agui.ToolCallResult](t, answered).Content.Text(); got != `"Ordered 2 × fern."` {
		t.Errorf("%s: %s", types(answered), got)
	}
	stop()
}

func post(t *testing.T, url, body string) []agui.Event {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(agenthost.TokenHeader, testToken)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return readEvents(t, resp.Body)
}

// startShop runs the program until stop, which interrupts it as a terminal does.
func startShop(t *testing.T, shop, dir string) (url string, stop func()) {
	t.Helper()
	model := cannedModel(
		`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"place_order","arguments":"{\"plant\":\"fern\",\"count\":2}"}}]}`,
		`{"content":"Done."}`)
	t.Cleanup(model.Close)
	cmd := exec.CommandContext(t.Context(), shop)
	cmd.Env = append(os.Environ(), "AG_UI_INTERNAL_TOKEN="+testToken, "OPENAI_BASE_URL="+model.URL, "OPENAI_API_KEY=",
		"SHOP_ADDR=127.0.0.1:0", "SHOP_DB="+filepath.Join(dir, "shop.db"))
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	url, _, ok := strings.Cut(strings.TrimPrefix(line, "the shop is open: "), "/agent/shop")
	if !ok {
		t.Fatal(line)
	}
	return url, func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil || !strings.Contains(log.String(), "sent to the warehouse") {
			t.Errorf("%v: %s", err, log.String())
		}
	}
}
