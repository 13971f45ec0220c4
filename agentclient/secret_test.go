package agentclient_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/logging"
	"cairn/internal/mask"
)

// urlKey is a credential in the URL's query.
const urlKey = "k3y/in the+query?"

// echoes are the ways in which an agent sends back what it was sent.
var echoes = map[string]func(w http.ResponseWriter, said string){
	"body": func(w http.ResponseWriter, said string) {
		w.WriteHeader(401)
		_, _ = io.WriteString(w, "bad credential "+said)
	},
	"body at the cut": func(w http.ResponseWriter, said string) {
		w.WriteHeader(401)
		_, _ = io.WriteString(w, strings.Repeat("x", 500)+said+strings.Repeat("y", 5000))
	},
	"body, a redirect": func(w http.ResponseWriter, said string) {
		w.Header().Set("Location", "http://elsewhere.test/?was="+url.QueryEscape(said))
		w.WriteHeader(307)
		_, _ = io.WriteString(w, said)
	},
	"a Location that is none": func(w http.ResponseWriter, said string) {
		raw(w, "307 Temporary Redirect\r\nLocation: http://[%zz/"+said)
	},
	"a header that is none": func(w http.ResponseWriter, said string) { raw(w, "200 OK\r\n"+said) },
	"a status that is none": func(w http.ResponseWriter, said string) { raw(w, said) },
	"content type": func(w http.ResponseWriter, said string) {
		w.Header().Set("Content-Type", "text/"+said)
		_, _ = io.WriteString(w, "hello")
	},
	"malformed frame": func(w http.ResponseWriter, said string) { oneFrame(w, `{"type":"CUSTOM","name":`+said) },
	"malformed member": func(w http.ResponseWriter, said string) {
		oneFrame(w, `{"type":"RUN_STARTED","threadId":["`+said+`"]}`)
	},
	"unknown type": func(w http.ResponseWriter, said string) { oneFrame(w, `{"type":["`+said+`"]}`) },
	"violation": func(w http.ResponseWriter, said string) {
		oneFrame(w, `{"type":"TEXT_MESSAGE_END","messageId":"`+said+`"}`)
	},
}

func oneFrame(w http.ResponseWriter, data string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: "+data+"\n\n")
}

// raw answers with bytes of its own after the protocol's name.
func raw(w http.ResponseWriter, head string) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(buf, "HTTP/1.1 "+head+"\r\nContent-Length: 0\r\n\r\n")
	_ = buf.Flush()
}

// TestAnEchoIsMasked: wherever and however an agent sends back the token, or what is
// in the URL's query, nothing that is printed of the error holds it.
func TestAnEchoIsMasked(t *testing.T) {
	for _, credential := range []string{token, urlKey} {
		quoted, _ := json.Marshal(credential)
		spellings := map[string]string{
			"plain": credential, "query": url.QueryEscape(credential), "JSON": strings.Trim(string(quoted), `"`), "slashes": strings.ReplaceAll(credential, "/", `\/`),
			"base64": base64.StdEncoding.EncodeToString([]byte("user:" + credential)), "base64 url": base64.RawURLEncoding.EncodeToString([]byte(credential)),
			"HTML": strings.ReplaceAll(credential, "-", "&#45;"),
		}
		for how, echo := range echoes {
			for spelling, said := range spellings {
				srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					echo(w, said)
				}))
				failed := failure(t, srv.URL+"/agent?version=2&key="+url.QueryEscape(urlKey), srv.Client())
				srv.Close()
				for _, part := range spellings {
					if text := printed(failed); strings.Contains(text, part) {
						t.Errorf("%s, %s: %s", how, spelling, text)
					}
				}
			}
		}
	}
}

func failure(t *testing.T, target string, via *http.Client) error {
	t.Helper()
	client, err := agentclient.New(agentclient.Config{URL: target, Token: token, HTTPClient: via, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range client.Run(t.Context(), agui.RunAgentInput{}) {
	}
	if err == nil {
		t.Error("no error")
	}
	return err
}

// printed is an error and all that it wraps, in every way.
func printed(err error) string {
	var out bytes.Buffer
	plain := logging.New(&out, new(mask.Set)) // it knows no secret
	var parts []any
	for e := err; e != nil; e = errors.Unwrap(e) {
		parts = append(parts, e)
	}
	if broken := new(url.Error); errors.As(err, &broken) {
		parts = append(parts, broken, broken.URL, broken.Err)
	}
	for _, e := range parts {
		fmt.Fprintf(&out, "%v %+v %#v %s\n", e, e, e, e)
		plain.Error("failed", "err", e)
	}
	return out.String()
}

// TestAnErrorIsOneBoundedLine: whatever the agent answers with.
func TestAnErrorIsOneBoundedLine(t *testing.T) {
	junk := strings.Repeat("\x1b[2J\u202e\u0085\u2028\x7f\xff", 10_000)
	for how, echo := range echoes {
		client := serve(t, agentclient.Config{Strict: true}, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			echo(w, junk)
		})
		_, failed := collect(t, t.Context(), client)
		if failed == nil {
			t.Errorf("%s: no error", how)
			continue
		}
		texts := []string{failed.Error(), failed.Excerpt}
		if failed.Err != nil {
			texts = append(texts, failed.Err.Error())
		}
		for _, text := range texts {
			if len(text) > 1<<10 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s: %d bytes: %q", how, len(text), text)
			}
		}
	}
}

func TestConnectErrorsHideTheQuery(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	err := failure(t, srv.URL+"/agent?version=20&api_key="+url.QueryEscape(urlKey), nil)
	if !strings.Contains(err.Error(), "/agent?version=[secret]&api_key=[secret]") || strings.Contains(printed(err), url.QueryEscape(urlKey)) {
		t.Error(printed(err))
	}
}

func TestConcealedErrorsKeepTheirCause(t *testing.T) {
	client := serve(t, agentclient.Config{}, stream(started+chunk))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	if _, failed := collect(t, ctx, client); !errors.Is(failed, io.ErrClosedPipe) {
		t.Errorf("%v", failed)
	}
}

func TestRedactURL(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a.test/agent":                           "http://a.test/agent",
		"https://a.test:8443/agent/x?":                  "https://a.test:8443/agent/x",
		"http://a.test/?key=hunter22":                   "http://a.test/?key=[secret]",
		"http://a.test/?key=hunter22&b=&c":              "http://a.test/?key=[secret]&b=[secret]&[secret]",
		"http://me:hunter22@a.test/x?key=a=b#hunter22":  "http://[secret]@a.test/x?key=[secret]#[secret]",
		"http://hunter22@a.test":                        "http://[secret]@a.test",
		"me:hunter22@a.test":                            "me:[secret]",
		"http://a.test/%zz?hunter22":                    "[unreadable URL]",
		"http://a.test/a%2Fb?x[]=hunter22&x[]=hunter22": "http://a.test/a%2Fb?x[]=[secret]&x[]=[secret]",
		"": "",
	} {
		if got := agentclient.RedactURL(raw); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
	secrets := agentclient.URLSecrets("http://me:pass@a.test/?key=a%2Fb&bare#frag")
	if got := strings.Join(secrets, " "); got != "frag pass me a/b bare" {
		t.Errorf("%q", got)
	}
}
