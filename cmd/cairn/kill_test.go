package main

import (
	"math/rand/v2"
	"net/http/cookiejar"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var wordPattern = regexp.MustCompile(`zq(\d+)q`)

// TestKilledInTheMiddleOfAnAnswer: the server is killed at random points while an
// answer streams, and started again. What a tab was shown is there, once, and the run
// can be repeated. CAIRN_TEST_SEED repeats the points of an earlier test.
func TestKilledInTheMiddleOfAnAnswer(t *testing.T) {
	const kills, answer = 20, 120
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CAIRN_TEST_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("CAIRN_TEST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	agent := newWords(t, answer)
	data := t.TempDir()
	args := []string{"serve", "--addr", "127.0.0.1:0", "--data", data, "--agent-url", agent.URL}
	jar, _ := cookiejar.New(nil)
	server := spawn(t, args...)
	shown, paths := map[string]int{}, []string{}
	check := func(v *visitor, path string) {
		t.Helper()
		page := v.get(path)
		found := wordPattern.FindAllStringSubmatch(page, -1)
		for i, f := range found {
			if f[1] != strconv.Itoa(i+1) {
				t.Fatalf("word %d of the page is %s", i+1, f[1])
			}
		}
		if len(found) < shown[path] {
			t.Errorf("the page has %d words, a tab was shown %d", len(found), shown[path])
		}
		if n := strings.Count(page, ">Count</div>"); n != 1 {
			t.Errorf("%d messages by the person", n)
		}
		if strings.Count(page, `data-testid="run-error"`) != 1 || strings.Count(page, `data-testid="retry"`) != 1 {
			t.Error("the page does not offer to try again, once")
		}
	}
	seen := 0
	for range kills {
		at := 1 + random.IntN(answer)
		v := visit(t, server.url, jar)
		path := v.say("/mastra", "Count")
		paths = append(paths, path)
		tab := v.stream(t.Context(), path)
		if _, err := tab.Next(); err != nil {
			t.Fatal(err)
		}
		there := agent.word(at)
		agent.goOn <- struct{}{}
		read := make(chan int)
		go func() { // ends with the server
			last := 0
			for {
				f, err := tab.Next()
				if err != nil {
					read <- last
					return
				}
				for _, w := range wordPattern.FindAllStringSubmatch(f.Data, -1) {
					n, _ := strconv.Atoi(w[1])
					last = max(last, n)
				}
				agent.show(last)
			}
		}()
		<-there
		server.kill(t)
		shown[path] = <-read
		seen += shown[path]
		server = spawn(t, args...)
		check(visit(t, server.url, jar), path)
	}
	t.Logf("%d words were shown", seen)
	if seen < kills*answer/5 {
		t.Error("the tabs were shown next to nothing")
	}
	v := visit(t, server.url, jar)
	for _, path := range paths { // and nothing happens to it later
		check(v, path)
	}
}
