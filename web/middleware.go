package web

import (
	"net/http"
	"strings"
)

// contentSecurityPolicy lets a page load its own files and nothing else; there is
// no inline script or style anywhere.
const contentSecurityPolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// maxBody bounds a form: a long message is 100 KB and grows when it is encoded.
const maxBody = 4 << 20

// middleware is the chain every request passes, outermost first.
func middleware(next http.Handler) http.Handler {
	return secureHeaders(http.NewCrossOriginProtection().Handler(limitBody(headAsGet(next))))
}

// headAsGet answers HEAD as GET, since net/http leaves the body out; but a stream
// has no end.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && !strings.HasSuffix(r.URL.Path, "/stream") {
			get := r.WithContext(r.Context())
			get.Method = http.MethodGet
			r = get
		}
		next.ServeHTTP(w, r)
	})
}

func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

func limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}
