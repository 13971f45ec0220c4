package memory

import (
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
