package agentclient_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"cairn/agentclient"
)

func TestTheTokenIsNeverPrinted(t *testing.T) {
	cfg := agentclient.Config{URL: "http://agent.test", Token: token, TokenHeader: "Authorization"}
	client, err := agentclient.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	logJSON := slog.New(slog.NewJSONHandler(&out, nil))
	for _, v := range []any{cfg, &cfg, client, *client, cfg.Token, &cfg.Token, struct{ Inner any }{client}, []any{cfg.Token}} {
		fmt.Fprintf(&out, "%v %+v %#v %s %q %x\n", v, v, v, v, v, v)
		fmt.Fprintln(&out, v)
		log.Info("x", "v", v)
		logJSON.Info("x", "v", v)
	}
	for _, v := range []any{cfg.Token, map[string]any{"t": cfg.Token}} {
		if err := json.NewEncoder(&out).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(out.String(), token) || strings.Contains(out.String(), fmt.Sprintf("%x", token)) {
		t.Errorf("token in:\n%s", out.String())
	}
	if cfg.Token.Reveal() != token {
		t.Error("the token itself is lost")
	}
}

func TestNewRefuses(t *testing.T) {
	for _, cfg := range []agentclient.Config{
		{}, {URL: "agent.test/run"}, {URL: "ftp://agent.test"}, {URL: "http://"}, {URL: "http://u:" + token + "@agent.test"},
		{URL: "http://agent.test/%zz?" + token}, {URL: "http://agent.test", Token: token + "\r\nX: y"},
	} {
		_, err := agentclient.New(cfg)
		if err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("%q: %v", cfg.URL, err)
		}
	}
}
