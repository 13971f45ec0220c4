package static

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// complete is the embedded tree with stand-ins for the third-party files, so that the
// test says the same on a machine without npm.
func complete(t *testing.T) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	for _, dir := range []string{"css", "js", "icons"} {
		err := fs.WalkDir(os.DirFS("."), dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			all[name] = &fstest.MapFile{Data: data}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append(append([]string{}, scripts...), fonts...) {
		if strings.HasPrefix(name, "vendor/") {
			all[name] = &fstest.MapFile{Data: []byte(name)}
		}
	}
	return all
}

func get(h http.Handler, method, url string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, url, nil))
	return w
}

func TestManifestServesWhatItNames(t *testing.T) {
	b, err := build("/static", complete(t))
	if err != nil {
		t.Fatal(err)
	}
	m := b.Manifest
	if m.Missing || len(m.Scripts) != 1 || len(m.Fonts) != 3 {
		t.Fatalf("manifest %+v", m)
	}
	want := map[string]string{m.CSS: "text/css; charset=utf-8", m.Theme: "text/javascript; charset=utf-8", m.Icon: "image/svg+xml"}
	for _, url := range m.Scripts {
		want[url] = "text/javascript; charset=utf-8"
	}
	for _, url := range m.Fonts {
		want[url] = "font/woff2"
	}
	for url, contentType := range want {
		w := get(b, "GET", url)
		if w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("%s: status %d, %d bytes", url, w.Code, w.Body.Len())
		}
		if got := w.Header().Get("Content-Type"); got != contentType {
			t.Errorf("%s: content type %q", url, got)
		}
		if got := w.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: cache %q", url, got)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	b, err := build("/static", complete(t))
	if err != nil {
		t.Fatal(err)
	}
	root := "/static/" + b.hash
	for _, url := range []string{"/static/", root, root + "/", root + "/css", root + "/css/00-base.css", root + "/static.go", root + "/vendor/.keep", "/static/000000000000/css/all.css"} {
		if w := get(b, "GET", url); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", url, w.Code)
		}
	}
	if w := get(b, "POST", b.Manifest.CSS); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", w.Code)
	}
}

func TestWithoutThirdPartyFiles(t *testing.T) {
	files := complete(t)
	delete(files, "vendor/htmx.min.js")
	b, err := build("/static", files)
	if err != nil {
		t.Fatal(err)
	}
	m := b.Manifest
	if !m.Missing || m.CSS == "" || m.Icon == "" || m.Theme != "" || m.Scripts != nil || m.Fonts != nil {
		t.Errorf("manifest %+v", m)
	}
	if strings.Contains(string(b.files[cssPath]), "vendor/") {
		t.Error("the style sheet asks for fonts that are not there")
	}
}

// htmx first, then its extension, then ours: each needs the one before.
func TestScriptsAreOneInOrder(t *testing.T) {
	files := complete(t)
	for _, name := range scripts {
		files[name] = &fstest.MapFile{Data: []byte("[" + name + "]")}
	}
	b, err := build("/static", files)
	if err != nil {
		t.Fatal(err)
	}
	got := get(b, "GET", b.Manifest.Scripts[0]).Body.String()
	if want := "[" + strings.Join(scripts, "]\n;\n[") + "]\n;\n"; got != want {
		t.Errorf("got %q", got)
	}
	ours, err := filepath.Glob("js/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range ours {
		if !slices.Contains(scripts, name) && name != "js/theme.js" {
			t.Errorf("%s is served to nobody", name)
		}
	}
}

func TestHashFollowsContent(t *testing.T) {
	files := complete(t)
	one, _ := build("/static", files)
	files["js/page.js"] = &fstest.MapFile{Data: []byte("changed")}
	two, _ := build("/static", files)
	if one.hash == two.hash {
		t.Error("a changed file kept its URL")
	}
}

func TestFavicon(t *testing.T) {
	b, err := New("/static")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	b.Favicon(w, httptest.NewRequest("GET", "/favicon.ico", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/x-icon" || !strings.HasPrefix(w.Body.String(), "\x00\x00\x01\x00") {
		t.Errorf("status %d, %s", w.Code, w.Header().Get("Content-Type"))
	}
}

// TestStyleSheetURLs checks that every URL in a style sheet is served by us: the content
// security policy allows no other host.
func TestStyleSheetURLs(t *testing.T) {
	b, err := build("/static", complete(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`url\("?([^")]*)"?\)`).FindAllStringSubmatch(string(b.files[cssPath]), -1) {
		name := filepath.ToSlash(filepath.Join("css", m[1]))
		if b.files[name] == nil {
			t.Errorf("the style sheet points at %s, which is not served", m[1])
		}
	}
}

// The scripts run under a policy without eval and inline code.
func TestScriptsNeedNoEval(t *testing.T) {
	files, err := filepath.Glob("js/*.js")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	bad := regexp.MustCompile(`\beval\(|new Function|\.setAttribute\('style'|javascript:|https?://`)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := bad.Find(src); m != nil {
			t.Errorf("%s has %q", file, m)
		}
	}
}
