package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/demos"
)

// TestEveryDemoHasAnAgent: the one that is named for it, else the one inside.
func TestEveryDemoHasAnAgent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "upstreams.yaml")
	if err := os.WriteFile(file, []byte("strands:\n  url: http://127.0.0.1:1/agent/strands\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name     string
		args     []string
		external string
	}{
		{"nothing is named", nil, ""},
		{"a file", []string{"--upstreams", file}, "strands"},
		{"an address", []string{"--agent-url", "http://127.0.0.1:1/agent/mastra"}, "mastra"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			url := address.FindString(start(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()}, tc.args...)...))
			for _, d := range demos.All() {
				res, err := http.Get(url + "/" + d.Slug)
				if err != nil {
					t.Fatal(err)
				}
				page, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK {
					t.Fatalf("%s: HTTP %d, %v", d.Slug, res.StatusCode, err)
				}
				inside, outside := strings.Contains(string(page), "Embedded agent · scripted model"), strings.Contains(string(page), "External agent")
				if external := d.Slug == tc.external; inside == external || outside != external {
					t.Errorf("%s: inside %t, outside %t", d.Slug, inside, outside)
				}
			}
		})
	}
}
