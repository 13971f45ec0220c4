package static

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"time"
)

// types are set here because the system's own table may be missing or wrong.
var types = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".ico":   "image/x-icon",
	".woff2": "font/woff2",
	".txt":   "text/plain; charset=utf-8",
}

// ServeHTTP answers the manifest's URLs, cacheable for ever, and 404 for all else,
// an outdated hash included: a page and its files come from one build.
func (b *Bundle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, b.prefix+b.hash+"/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	b.serve(w, r, name, "public, max-age=31536000, immutable")
}

// Favicon answers /favicon.ico, which browsers ask for under that fixed name.
func (b *Bundle) Favicon(w http.ResponseWriter, r *http.Request) {
	b.serve(w, r, "icons/favicon.ico", "public, max-age=86400")
}

func (b *Bundle) serve(w http.ResponseWriter, r *http.Request, name, cache string) {
	data, ok := b.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Type", types[path.Ext(name)])
	h.Set("Cache-Control", cache)
	h.Set("X-Content-Type-Options", "nosniff")
	// The zero time: the URL, not a date, says which version this is.
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
