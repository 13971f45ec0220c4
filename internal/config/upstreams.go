package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"cairn/agentclient"
)

// Upstream is the agent one demo talks to.
type Upstream struct {
	// Demo is the demo's slug.
	Demo string
	URL  string
	// Token is sent in TokenHeader, as a bearer token in Authorization; "" sends none.
	Token       agentclient.Secret
	TokenHeader string
	// Interrupts is how decisions are sent; "" is the demo's own way.
	Interrupts string
	// ConnectTimeout and StallTimeout are zero for the client's defaults.
	ConnectTimeout, StallTimeout time.Duration
	// ShowErrors is true when the page shows what the agent says of its own errors.
	ShowErrors bool
}

// Transports are what `interrupts` may say.
var Transports = []string{"auto", "protocol", "mastra-command", "legacy-command"}

// ReadUpstreams reads the file of CAIRN_UPSTREAMS: a mapping from names to
// upstreams. Everything wrong with it is reported at once, each line beginning with the
// file's name and the line's number. demos are the slugs there are; env looks up the
// variables that token_env names.
func ReadUpstreams(file string, demos []string, env func(string) string) ([]Upstream, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("CAIRN_UPSTREAMS: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("CAIRN_UPSTREAMS: %s: %w", file, err)
	}
	r := &upstreamReader{file: file, demos: demos, env: env, taken: map[string]int{}}
	if doc.IsZero() || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("CAIRN_UPSTREAMS: %s: want a mapping from names to upstreams, like \"mastra: {url: http://127.0.0.1:8101/agent/mastra}\"", file)
	}
	var all []Upstream
	r.each(doc.Content[0], func(key, value *yaml.Node) { all = append(all, r.upstream(key, value)) })
	if len(all) == 0 {
		r.wrong(doc.Content[0], "no upstream")
	}
	return all, errors.Join(r.errs...)
}

type upstreamReader struct {
	file  string
	demos []string
	env   func(string) string
	taken map[string]int // demo: line
	errs  []error
}

func (r *upstreamReader) wrong(at *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d: "+format, append([]any{r.file, at.Line}, args...)...))
}

// each goes over a mapping and reports a name that comes twice.
func (r *upstreamReader) each(mapping *yaml.Node, f func(key, value *yaml.Node)) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		if seen[key.Value] {
			r.wrong(key, "%q is there twice", key.Value)
			continue
		}
		seen[key.Value] = true
		f(key, mapping.Content[i+1])
	}
}

func (r *upstreamReader) upstream(name, value *yaml.Node) Upstream {
	u := Upstream{Demo: name.Value}
	if value.Kind != yaml.MappingNode {
		r.wrong(value, "%s: want url, and what else it needs, below it", name.Value)
		return u
	}
	demoAt := name
	r.each(value, func(key, v *yaml.Node) {
		if v.Kind != yaml.ScalarNode {
			r.wrong(v, "%s: want one value", key.Value)
			return
		}
		switch key.Value {
		case "url":
			u.URL = v.Value
			r.checkURL(v)
		case "demo":
			u.Demo, demoAt = v.Value, v
		case "token_env":
			u.Token = r.token(v)
		case "token_header":
			u.TokenHeader = v.Value
		case "interrupts":
			u.Interrupts = v.Value
			if !slices.Contains(Transports, v.Value) {
				r.wrong(v, "interrupts %q: want one of %s", v.Value, strings.Join(Transports, ", "))
			}
		case "connect_timeout":
			u.ConnectTimeout = r.duration(key, v)
		case "stall_timeout":
			u.StallTimeout = r.duration(key, v)
		case "show_errors":
			if u.ShowErrors = v.Value == "true"; !u.ShowErrors && v.Value != "false" {
				r.wrong(v, "show_errors %q: want true or false", v.Value)
			}
		default:
			r.wrong(key, "%q is unknown; there are url, demo, token_env, token_header, interrupts, connect_timeout, stall_timeout, show_errors", key.Value)
		}
	})
	if u.URL == "" {
		r.wrong(name, "%s has no url", name.Value)
	}
	if !slices.Contains(r.demos, u.Demo) {
		r.wrong(demoAt, "there is no demo %q; there are %s", u.Demo, strings.Join(r.demos, ", "))
	}
	if line, taken := r.taken[u.Demo]; taken {
		r.wrong(demoAt, "demo %s has an upstream already, in line %d", u.Demo, line)
	}
	r.taken[u.Demo] = demoAt.Line
	return u
}

// variable is how environment variables are usually named.
var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// token returns the value of the variable that v names. An unusual name of a variable
// that is not set is not repeated: it may be the token itself.
func (r *upstreamReader) token(v *yaml.Node) agentclient.Secret {
	token := agentclient.Secret(r.env(v.Value))
	switch {
	case token != "":
	case variable.MatchString(v.Value):
		r.wrong(v, "the variable %s, which token_env names, is not set", v.Value)
	default:
		r.wrong(v, "token_env must be the name of an environment variable that is set, like AGENT_TOKEN; the token itself stays out of this file")
	}
	return token
}

func (r *upstreamReader) checkURL(v *yaml.Node) {
	if err := checkURL(v.Value); err != nil {
		r.wrong(v, "url %w", err)
	}
}

func (r *upstreamReader) duration(key, v *yaml.Node) time.Duration {
	d, err := time.ParseDuration(v.Value)
	if err != nil || d <= 0 {
		r.wrong(v, "%s %q: want a time, like 30s or 2m", key.Value, v.Value)
	}
	return d
}

// checkURL never repeats the URL: it may hold a password.
func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return errors.New("must be a full http or https URL, like http://127.0.0.1:8081/agent/mastra")
	case u.User != nil:
		return errors.New("must not hold a password; name the variable that holds the token")
	}
	return nil
}
