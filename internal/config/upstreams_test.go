package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var slugs = []string{"mastra", "strands"}

func read(t *testing.T, text string) ([]Upstream, string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "up.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"TRIP_TOKEN": "s3cret"}
	all, err := ReadUpstreams(file, slugs, func(name string) string { return env[name] })
	return all, file, err
}

func TestReadUpstreams(t *testing.T) {
	got, _, err := read(t, `
# The camping demo on one machine, meetings on another.
mastra:
  url: http://127.0.0.1:8101/agent/mastra
  token_env: TRIP_TOKEN
meetings:
  demo: strands
  url: https://agents.example.com/strands
  token_env: TRIP_TOKEN
  token_header: Authorization
  interrupts: protocol
  connect_timeout: 5s
  stall_timeout: 90s
  show_errors: true
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Upstream{
		{Demo: "mastra", URL: "http://127.0.0.1:8101/agent/mastra", Token: "s3cret"},
		{Demo: "strands", URL: "https://agents.example.com/strands", Token: "s3cret", TokenHeader: "Authorization",
			Interrupts: "protocol", ConnectTimeout: 5 * time.Second, StallTimeout: 90 * time.Second, ShowErrors: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// TestReadUpstreamsErrors: each mistake is told with its line, all of them at once,
// and none repeats a credential.
func TestReadUpstreamsErrors(t *testing.T) {
	const url = "url: http://a.test/agent"
	for name, tc := range map[string]struct {
		text string
		want []string // "line: text"
	}{
		"unknown member":     {"mastra:\n  " + url + "\n  tokn_env: X\n", []string{`3: "tokn_env" is unknown`}},
		"no url":             {"mastra:\n  interrupts: auto\n", []string{`1: mastra has no url`}},
		"bad url":            {"mastra:\n  url: localhost:8101\n", []string{`2: url must be a full http or https URL`}},
		"password in url":    {"mastra:\n  url: http://me:hunter2@a.test/\n", []string{`2: url must not hold a password`}},
		"unknown demo":       {"trip:\n  " + url + "\n", []string{`1: there is no demo "trip"; there are mastra, strands`}},
		"unknown transport":  {"mastra:\n  " + url + "\n  interrupts: pigeon\n", []string{`3: interrupts "pigeon": want one of auto, protocol`}},
		"token not set":      {"mastra:\n  " + url + "\n  token_env: NOT_SET\n", []string{`3: the variable NOT_SET`}},
		"token in the file":  {"mastra:\n  " + url + "\n  token_env: sk-hunter2\n", []string{`3: token_env must be the name of an environment variable`}},
		"no yes or no":       {"mastra:\n  " + url + "\n  show_errors: sometimes\n", []string{`3: show_errors "sometimes": want true or false`}},
		"no time":            {"mastra:\n  " + url + "\n  stall_timeout: soon\n", []string{`3: stall_timeout "soon": want a time`}},
		"twice":              {"mastra:\n  " + url + "\nother:\n  " + url + "\n  demo: mastra\n", []string{`5: demo mastra has an upstream already, in line 1`}},
		"name twice":         {"mastra:\n  " + url + "\nmastra:\n  " + url + "\n", []string{`3: "mastra" is there twice`}},
		"not a mapping":      {"- mastra\n", []string{`want a mapping from names`}},
		"empty":              {"", []string{`want a mapping from names`}},
		"a list for a value": {"mastra:\n  url: [a, b]\n", []string{`2: url: want one value`, `1: mastra has no url`}},
		"no members":         {"mastra: http://a.test\n", []string{`1: mastra: want url`}},
		"no yaml":            {"mastra:\n\turl: x\n", []string{`line 2`}},
		"several": {"mastra:\n  url: nowhere\n  interrupts: pigeon\n", []string{
			`2: url must be`, `3: interrupts "pigeon"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, file, err := read(t, tc.text)
			if err == nil {
				t.Fatal("taken")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %s", err, want)
				}
			}
			if !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := ReadUpstreams(filepath.Join(t.TempDir(), "none.yaml"), slugs, os.Getenv); err == nil {
		t.Error("a file that is not there was read")
	}
}
