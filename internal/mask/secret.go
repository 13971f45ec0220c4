package mask

import "log/slog"

// Secret is a string that printing, logging and encoding show as [Placeholder].
// Keep it in exported fields: fmt does not ask unexported ones how they print.
type Secret string

// Reveal returns the string itself, for the one place that sends or compares it.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) String() string               { return Placeholder }
func (s Secret) GoString() string             { return Placeholder }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(Placeholder) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(Placeholder), nil }
