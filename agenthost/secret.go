package agenthost

import "cairn/internal/mask"

// Secret is a token or key that printing, logging and encoding show as a placeholder.
// Its Reveal method returns the string itself.
type Secret = mask.Secret
