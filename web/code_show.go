package web

import (
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/markdown"
)

// codePages are the functions that return the highlighted files, by path. Each file is
// rendered once, when it is first requested.
type codePages map[string]func() components.CodeFile

// codeFiles finds the files of every demo; one that is not embedded is an error
// at start, not a blank page later.
func codeFiles(sources fs.FS, all []demos.Demo) (codePages, error) {
	pages := codePages{}
	for _, d := range all {
		for _, f := range d.Code {
			src, err := fs.ReadFile(sources, f.Path)
			if err != nil {
				return nil, fmt.Errorf("code tab of %s: %w", d.Slug, err)
			}
			pages[f.Path] = sync.OnceValue(func() components.CodeFile {
				return components.CodeFile{Path: f.Path, Language: language(f.Path), Lines: markdown.Highlight(f.Path, string(src))}
			})
		}
	}
	return pages, nil
}

func language(file string) string {
	switch ext := strings.TrimPrefix(path.Ext(file), "."); ext {
	case "go":
		return "Go"
	case "js", "mjs":
		return "JavaScript"
	case "py":
		return "Python"
	case "templ":
		return "templ"
	case "css":
		return "CSS"
	default:
		return ext
	}
}

// codeShow is the Code tab, with or without a conversation to come back to.
func (s *Server) codeShow(c echo.Context) error {
	d, err := s.demo(c)
	if err != nil {
		return err
	}
	thread, crumb := "", ""
	if c.Param("thread") != "" {
		t, err := s.thread(c)
		if err != nil {
			return err
		}
		thread, crumb = t.ID, t.Title
	}
	file := c.Param("*")
	if file == "" {
		file = d.Code[0].Path
	}
	p := components.CodePage{Shell: s.shell(c, d, "code", thread)}
	p.Shell.Title, p.Shell.Crumb = "Code of "+d.Name, crumb
	found := false
	for _, f := range d.Code {
		p.Files = append(p.Files, components.FileLink{Path: f.Path, URL: codeURL(d.Slug, thread, f.Path), Note: f.Note, Current: f.Path == file})
		found = found || f.Path == file
	}
	if !found {
		return refuse(http.StatusNotFound, "There is no such file on the Code tab.")
	}
	p.File = s.code[file]()
	return s.page(c, http.StatusOK, components.CodePageView(p))
}
