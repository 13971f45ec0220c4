package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cairn/agui/sse"
)

// visitor uses a running app without scripts, as a browser would.
type visitor struct {
	t      *testing.T
	base   string
	client *http.Client
}

func visit(t *testing.T, base string, jar http.CookieJar) *visitor {
	return &visitor{t, base, &http.Client{Jar: jar}}
}

func (v *visitor) get(path string) string {
	v.t.Helper()
	res, err := v.client.Get(v.base + path)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		v.t.Fatalf("GET %s: %d %.300s", path, res.StatusCode, body)
	}
	return string(body)
}

// post sends a form and returns the path of the page it leads to.
func (v *visitor) post(path string, form url.Values) string {
	v.t.Helper()
	res, err := v.client.PostForm(v.base+path, form)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(res.Body)
		v.t.Fatalf("POST %s: %d %.300s", path, res.StatusCode, body)
	}
	return res.Request.URL.Path
}

var (
	messageID = regexp.MustCompile(`name="message_id" value="([^"]+)"`)
	decideURL = regexp.MustCompile(`action="(/t/[^"]+/interrupts/\d+)"`)
)

func (v *visitor) say(path, text string) string {
	v.t.Helper()
	id := messageID.FindStringSubmatch(v.get(path))[1]
	to := "/mastra/messages"
	if thread := strings.TrimPrefix(path, "/mastra/t/"); thread != path {
		to = "/t/" + thread + "/messages"
	}
	return v.post(to, url.Values{"message_id": {id}, "text": {text}})
}

// until reads the thread's stream until a patch holds the text.
func (v *visitor) until(path, text string) {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, v.base+"/t/"+strings.TrimPrefix(path, "/mastra/t/")+"/stream?pane=run", nil)
	res, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	for r := sse.NewReader(res.Body, sse.Limits{}); ; {
		f, err := r.Next()
		if err != nil {
			v.t.Fatalf("waiting for %q: %v", text, err)
		}
		if strings.Contains(f.Data, text) {
			return
		}
	}
}

func reservations(t *testing.T, data string) []map[string]any {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"agent", "reservations", "--data", data}, &out, &errOut); code != 0 {
		t.Fatalf("reservations: %s", errOut.String())
	}
	var all []map[string]any
	for dec := json.NewDecoder(&out); ; {
		var b map[string]any
		if err := dec.Decode(&b); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
}

// TestRestartBetweenPauseAndDecision: a question outlives the process, its page
// and the browser's connection, and is answered once.
func TestRestartBetweenPauseAndDecision(t *testing.T) {
	data := t.TempDir()
	jar, _ := cookiejar.New(nil)
	var path string
	t.Run("ask", func(t *testing.T) {
		v := visit(t, address.FindString(start(t, "serve", "--addr", "127.0.0.1:0", "--data", data)), jar)
		path = v.say("/mastra", "Reserve the campsite at North Pines for two nights")
		v.until(path, `data-phase="pending"`)
		if got := reservations(t, data); len(got) != 0 {
			t.Fatalf("booked before the decision: %v", got)
		}
	}) // its end stops the process
	t.Run("decide", func(t *testing.T) {
		v := visit(t, address.FindString(start(t, "serve", "--addr", "127.0.0.1:0", "--data", data)), jar)
		page := v.get(path)
		action := decideURL.FindStringSubmatch(page)
		if action == nil || !strings.Contains(page, "$90.00") {
			t.Fatalf("the question is gone after the restart")
		}
		v.post(action[1], url.Values{"decision": {"approve"}})
		v.until(path, "Booked. Confirmation TP-0288.")
		v.post(action[1], url.Values{"decision": {"approve"}})
		v.post(action[1], url.Values{"decision": {"cancel"}})
		got := reservations(t, data)
		if len(got) != 1 || got[0]["site"] != "North Pines" || got[0]["nights"] != 2.0 || got[0]["total_usd"] != 90.0 || got[0]["confirmation"] != "TP-0288" || got[0]["thread_id"] == "" || got[0]["created_at"] == "" {
			t.Fatalf("ledger %v", got)
		}
	})
}

// TestWholeMainJob walks the main job without scripts.
func TestWholeMainJob(t *testing.T) {
	data := t.TempDir()
	jar, _ := cookiejar.New(nil)
	v := visit(t, address.FindString(start(t, "serve", "--addr", "127.0.0.1:0", "--data", data)), jar)
	path := "/mastra"
	for _, step := range []struct{ say, until string }{
		{"Start a packing list called Yosemite weekend with a tent and two sleeping bags", "sleeping bag"},
		{"add 3 headlamps", "headlamp"},
		{"Check trail conditions in Yosemite Valley right now", "clear skies"},
		{"What is the weather forecast for North Pines this weekend?", `data-name="weather_forecaster" data-status="complete"`},
		{"Reserve Upper Pines for 3 nights", "$135.00"},
	} {
		path = v.say(path, step.say)
		v.until(path, step.until)
		v.until(path, `data-testid="send"`)
	}
	action := decideURL.FindStringSubmatch(v.get(path))
	v.post(action[1], url.Values{"decision": {"cancel"}})
	v.until(path, "Declined. Nothing was booked.")
	if got := reservations(t, data); len(got) != 0 {
		t.Fatalf("ledger %v", got)
	}
}
