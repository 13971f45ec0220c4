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

// Manifest names the browser files by URL. The URLs hold a hash of all the files, so
// what they answer never changes.
type Manifest struct {
	// Missing is true when the third-party files were not there at compile time.
	// Only CSS and Icon are set then: the page is its no-JavaScript form.
	Missing bool
	CSS     string
	Theme   string
	Scripts []string
	Fonts   []string
	Icon    string
}

// scripts are served as one, in this order. Apart they would race: htmx starts in a timer
// of its own, and when that came before the extensions were there, a page would never
// open its stream or would lose the first frame of it.
var scripts = []string{"vendor/htmx.min.js", "vendor/hx-sse.min.js", "js/stream.js", "js/scroll.js", "js/earlier.js", "js/composer.js", "js/threads.js", "js/page.js"}

var fonts = []string{"vendor/inter-latin-wght-normal.woff2", "vendor/fraunces-latin-wght-normal.woff2", "vendor/jetbrains-mono-latin-wght-normal.woff2"}

const (
	jsPath   = "js/all.js"        // where the scripts are served as one
	cssPath  = "css/all.css"      // where the style sheets are served as one
	fontsCSS = "css/05-fonts.css" // the sheet that needs the third-party fonts
)

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
	missing := !has(from, scripts) || !has(from, fonts)
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
		switch {
		case name == fontsCSS && missing:
		case path.Ext(name) == ".css":
			css.Write(data)
		default:
			b.files[name] = data
		}
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
	if !missing {
		var js bytes.Buffer
		for _, name := range scripts {
			js.Write(b.files[name])
			js.WriteString("\n;\n")
			delete(b.files, name)
		}
		b.files[jsPath] = js.Bytes()
	}
	b.hash = hex.EncodeToString(sum.Sum(nil))[:12]
	b.Manifest = b.manifest(missing)
	return b, nil
}

func has(from fs.FS, names []string) bool {
	for _, name := range names {
		if _, err := fs.Stat(from, name); err != nil {
			return false
		}
	}
	return true
}

func (b *Bundle) manifest(missing bool) Manifest {
	m := Manifest{Missing: missing, CSS: b.url(cssPath), Icon: b.url("icons/cairn.svg")}
	if missing {
		return m
	}
	m.Theme = b.url("js/theme.js")
	m.Scripts = []string{b.url(jsPath)}
	for _, name := range fonts {
		m.Fonts = append(m.Fonts, b.url(name))
	}
	return m
}

func (b *Bundle) url(name string) string { return b.prefix + b.hash + "/" + name }
