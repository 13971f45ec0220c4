package hostile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// maxRead bounds what is read of one page, in bytes.
const maxRead = 64 << 20

// user is a session of the web app, without scripts.
type user struct {
	base   string
	client *http.Client
}

func newUser(base string) *user {
	jar, _ := cookiejar.New(nil) // returns no error
	return &user{base: base, client: &http.Client{
		Jar: jar, Transport: &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// moved takes the session to a server that was started again: cookies know no port.
func (u *user) moved(base string) {
	u.client.CloseIdleConnections()
	u.base = base
}

func (u *user) do(ctx context.Context, method, path string, form url.Values) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return u.client.Do(req)
}

// get returns the status and the body of a page.
func (u *user) get(ctx context.Context, path string) (int, []byte, error) {
	res, err := u.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRead))
	return res.StatusCode, body, err
}

// post sends a form and returns the status and the place it leads to.
func (u *user) post(ctx context.Context, path string, form url.Values) (int, string, error) {
	res, err := u.do(ctx, http.MethodPost, path, form)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, maxRead))
	return res.StatusCode, res.Header.Get("Location"), err
}

var messageID = regexp.MustCompile(`name="message_id" value="([^"]+)"`)

// begin starts a conversation and returns its thread.
func (u *user) begin(ctx context.Context, demo, message string) (string, error) {
	_, page, err := u.get(ctx, "/"+demo)
	if err != nil {
		return "", err
	}
	id := messageID.FindSubmatch(page)
	if id == nil {
		return "", errors.New("the page of a new conversation has no form")
	}
	status, to, err := u.post(ctx, "/"+demo+"/messages", url.Values{"message_id": {string(id[1])}, "text": {message}})
	if err != nil {
		return "", err
	}
	_, thread, ok := strings.Cut(to, "/t/")
	if !ok {
		return "", fmt.Errorf("status %d for a first message", status)
	}
	return thread, nil
}

// watch reads the thread's stream as a tab does until its run has ended, and connects
// again where the stream ends before. open is called when the tab has the whole page.
// It returns how many bytes it has read.
func (u *user) watch(ctx context.Context, thread string, open func()) (int64, error) {
	var total int64
	for range 50 { // a tab tries longer, but each try of these was answered
		t, err := u.tab(ctx, thread)
		if err != nil {
			return total, err
		}
		settled := false
		for err == nil && !settled {
			settled, err = t.next(open)
		}
		total += t.bytes
		t.Close()
		if settled {
			return total, nil
		}
		if ctx.Err() != nil {
			return total, ctx.Err()
		}
	}
	return total, errors.New("the stream ends again and again")
}

// tab is an open stream of a thread.
type tab struct {
	io.Closer
	lines *bufio.Reader
	bytes int64
	whole int64 // bytes until the page was whole, 0 before
	seen  map[string]bool
	done  bool // the newest composer is that of a thread without a run
}

func (u *user) tab(ctx context.Context, thread string) (*tab, error) {
	res, err := u.do(ctx, http.MethodGet, "/t/"+thread+"/stream?pane=run", nil)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, fmt.Errorf("status %d for a stream", res.StatusCode)
	}
	return &tab{Closer: res.Body, lines: bufio.NewReaderSize(res.Body, 64<<10), seen: map[string]bool{}}, nil
}

// parts are the elements that a whole page has.
var parts = []string{"#chat-items", "#composer-state", "#panel"}

// next reads a line and reports whether the page is whole and shows no run.
func (t *tab) next(open func()) (settled bool, err error) {
	line, err := t.lines.ReadSlice('\n')
	t.bytes += int64(len(line))
	if selector, ok := bytes.CutPrefix(line, []byte("data: selector ")); ok {
		t.seen[string(bytes.TrimSpace(selector))] = true
	}
	if start := line[:min(len(line), 300)]; bytes.HasPrefix(start, []byte("data: elements ")) && bytes.Contains(start, []byte(` id="composer-state"`)) {
		tag, _, _ := bytes.Cut(start, []byte(">"))
		t.done = !bytes.Contains(tag, []byte("data-running"))
	}
	if t.whole == 0 && len(bytes.TrimSpace(line)) == 0 {
		whole := true
		for _, p := range parts {
			whole = whole && t.seen[p]
		}
		if whole {
			t.whole = t.bytes
			open()
		}
	}
	for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long line
		var rest []byte
		rest, err = t.lines.ReadSlice('\n')
		t.bytes += int64(len(rest))
	}
	return t.whole > 0 && t.done, err
}

// snapshot returns the bytes of the whole page that a tab gets first.
func (u *user) snapshot(ctx context.Context, thread string) (int64, error) {
	t, err := u.tab(ctx, thread)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	for err == nil && t.whole == 0 {
		_, err = t.next(func() {})
	}
	return max(t.whole, t.bytes), err
}
