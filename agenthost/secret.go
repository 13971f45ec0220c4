package agenthost

import "log/slog"

// Secret is a token or key that prints as a placeholder.
type Secret string

const placeholder = "[secret]"

// Reveal returns the secret, for the one place that sends or compares it.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) String() string               { return placeholder }
func (s Secret) GoString() string             { return placeholder }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(placeholder) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(placeholder), nil }
