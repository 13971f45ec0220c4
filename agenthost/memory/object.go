package memory

import (
	"bytes"
	"encoding/json"
	"errors"

	"cairn/agenthost/partialjson"
)

// parseObject decodes exactly one JSON object.
func parseObject(text []byte) (map[string]any, error) {
	var p partialjson.Parser
	if err := errors.Join(p.Write(string(text)), p.Close()); err != nil {
		return nil, err
	}
	m, ok := p.Root().Any().(map[string]any)
	if !ok {
		return nil, errors.New("not an object")
	}
	return m, nil
}

// encode returns compact JSON without HTML escaping.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
