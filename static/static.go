// Package static holds the browser files: our own css, js and icons, and the
// third-party ones when they were there at compile time (`make assets` puts them
// into vendor/, which is never committed). It serves these files and nothing else,
// and works without the third-party ones: Manifest.Missing then says so.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed all:css all:js all:icons all:vendor
var embedded embed.FS

// Files are the embedded files as they are in the source tree.
func Files() fs.FS { return embedded }

// Manifest names the browser files by URL. The URLs hold a hash of all the files, so
// what they answer never changes.
type Manifest struct {
	// Missing is true when the third-party files were not there at compile time.
	// Only CSS, Theme and Icon are set then: the page is its no-JavaScript form.
	Missing bool
	CSS     string
	Theme   string
	Scripts []string
	Fonts   []string
	Icon    string
}

// Scripts are loaded in this order: htmx, its extension, ours.
var scripts = []string{"vendor/htmx.min.js", "vendor/hx-sse.min.js", "js/stream.js", "js/scroll.js", "js/composer.js", "js/page.js"}

var fonts = []string{"vendor/inter-latin-wght-normal.woff2", "vendor/fraunces-latin-wght-normal.woff2", "vendor/jetbrains-mono-latin-wght-normal.woff2"}

// cssURL is where the style sheets are served as one.
const cssPath = "css/all.css"

// Bundle is the set of files under one prefix. It is immutable.
type Bundle struct {
	Manifest Manifest
	prefix   string // ends in a slash
	hash     string
	files    map[string][]byte
}

// New reads the embedded files. prefix is where Bundle is mounted, e.g. "/static".
// styles are further style sheets, made by the program, and end the cascade.
func New(prefix string, styles ...[]byte) (*Bundle, error) { return build(prefix, embedded, styles...) }

func build(prefix string, from fs.FS, styles ...[]byte) (*Bundle, error) {
	b := &Bundle{prefix: strings.TrimSuffix(prefix, "/") + "/", files: map[string][]byte{}}
	sum := sha256.New()
	var css bytes.Buffer
	// WalkDir is in lexical order: it decides the cascade and the hash.
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path.Base(name), ".") {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(data))
		sum.Write(data)
		if path.Ext(name) == ".css" {
			css.Write(data)
			return nil
		}
		b.files[name] = data
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the browser files: %w", err)
	}
	for _, sheet := range styles {
		sum.Write(sheet)
		css.Write(sheet)
	}
	b.files[cssPath] = css.Bytes()
	b.hash = hex.EncodeToString(sum.Sum(nil))[:12]
	b.Manifest = b.manifest()
	return b, nil
}

func (b *Bundle) manifest() Manifest {
	m := Manifest{CSS: b.url(cssPath), Theme: b.url("js/theme.js"), Icon: b.url("icons/cairn.svg")}
	for _, name := range append(append([]string{}, scripts...), fonts...) {
		if b.files[name] == nil {
			m.Missing = true
			// Without scripts nothing may depend on them, the theme button included.
			m.Theme = ""
			return m
		}
	}
	for _, name := range scripts {
		m.Scripts = append(m.Scripts, b.url(name))
	}
	for _, name := range fonts {
		m.Fonts = append(m.Fonts, b.url(name))
	}
	return m
}

func (b *Bundle) url(name string) string { return b.prefix + b.hash + "/" + name }
