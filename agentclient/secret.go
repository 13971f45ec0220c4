package agentclient

import "log/slog"

const redacted = "[secret]"

// Secret is a string that printing, logging and encoding show as a placeholder.
// Keep it in exported fields: fmt does not ask unexported ones how they print.
type Secret string

// Reveal gives the string itself.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) String() string               { return redacted }
func (s Secret) GoString() string             { return redacted }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(redacted) }
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }
