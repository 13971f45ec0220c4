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

// TestGuideShowsTheExample: the agent of the guide is the tested example, and the whole
// program has at most sixty lines.
func TestGuideShowsTheExample(t *testing.T) {
	example := read(t, "example_test.go")
	blocks := goBlocks(t)
	lines := 0
	for i, b := range blocks {
		if i > 0 && i < 4 && !strings.Contains(example, strings.TrimSpace(b)) {
			t.Errorf("not in example_test.go:\n%s", b)
		}
		for line := range strings.Lines(b) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
	}
	if lines > 60 {
		t.Errorf("the program has %d lines", lines)
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
	const listen = `http.ListenAndServe("127.0.0.1:8090", host)`
	if !strings.Contains(program, listen) {
		t.Fatal("the program does not listen")
	}
	source, listener, overlay, shop := filepath.Join(dir, "main.go"), filepath.Join(dir, "listen.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "shop")
	at := func(name string) string { return filepath.Join(root, "cmd", "shop", name) }
	where := mustJSON(t, map[string]any{"Replace": map[string]string{at("main.go"): source, at("listen.go"): listener}})
	program = strings.Replace(program, listen, "listenAnywhere(host)", 1)
	program = strings.Replace(program, "\t\"net/http\"\n", "", 1)
	for path, text := range map[string]string{source: program, listener: listenAnywhere, overlay: where} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", shop, "./cmd/shop")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	url := startShop(t, shop)

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

// listenAnywhere is added to the guide's program, so that its port is free.
const listenAnywhere = `package main

import (
	"fmt"
	"net"
	"net/http"
)

func listenAnywhere(h http.Handler) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	return http.Serve(ln, h)
}
`

// startShop runs the program until the test ends.
func startShop(t *testing.T, shop string) (url string) {
	t.Helper()
	model := cannedModel(
		`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"place_order","arguments":"{\"plant\":\"fern\",\"count\":2}"}}]}`,
		`{"content":"Done."}`)
	t.Cleanup(model.Close)
	cmd := exec.Command(shop)
	cmd.Env = append(os.Environ(), "AG_UI_INTERNAL_TOKEN="+testToken, "OPENAI_BASE_URL="+model.URL, "OPENAI_API_KEY=")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + strings.TrimSpace(line)
}
