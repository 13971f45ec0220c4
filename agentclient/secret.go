package agentclient

import (
	"net/url"
	"strings"

	"cairn/internal/mask"
)

const redacted = mask.Placeholder

// Secret is a string that printing, logging and encoding show as a placeholder. Its
// Reveal method returns the string itself. Keep it in exported fields: fmt does not ask
// unexported ones how they print.
type Secret = mask.Secret

// RedactURL returns a URL for printing: the values in its query, a user and password,
// and the fragment are replaced by a placeholder.
func RedactURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "[unreadable URL]"
	}
	user, query, fragment := u.User != nil, u.RawQuery, u.Fragment != ""
	u.User, u.RawQuery, u.Fragment, u.RawFragment = nil, "", "", ""
	u.ForceQuery = false
	text := u.String()
	if u.Opaque != "" { // such as user:password@host without a scheme
		text = u.Scheme + ":" + redacted
	}
	if user {
		text = strings.Replace(text, "//", "//"+redacted+"@", 1)
	}
	if query != "" {
		params := strings.Split(query, "&")
		for i, param := range params {
			name, _, named := strings.Cut(param, "=")
			params[i] = redacted
			if named {
				params[i] = name + "=" + redacted
			}
		}
		text += "?" + strings.Join(params, "&")
	}
	if fragment {
		text += "#" + redacted
	}
	return text
}

// URLSecrets returns what [RedactURL] replaces, so that it can be masked in other
// texts too.
func URLSecrets(raw string) []string {
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}
	secrets := []string{u.Fragment}
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	}
	secrets = append(secrets, u.User.Username())
	for param := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, named := strings.Cut(param, "=")
		if !named {
			value = name
		}
		plain, err := url.QueryUnescape(value)
		if err != nil {
			plain = value
		}
		secrets = append(secrets, plain)
	}
	return secrets
}
