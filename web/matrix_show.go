package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/internal/matrix"
)

const matrixURL = "/matrix"

// matrixShow is the support matrix.
func (s *Server) matrixShow(c echo.Context) error {
	p := s.matrix
	p.Shell = s.bareShell(c, matrixURL, "Support matrix")
	return s.page(c, http.StatusOK, components.MatrixPageView(p))
}

// transcriptShow is one exchange of a recording as a page, or its answer byte for
// byte.
func (s *Server) transcriptShow(c echo.Context) error {
	runtime, file := c.Param("runtime"), c.Param("file")
	if strings.Contains(file, ".") {
		raw, err := s.transcripts.Raw(runtime, file)
		if err != nil {
			return noTranscript(err)
		}
		c.Response().Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
		return c.Blob(http.StatusOK, "application/octet-stream", raw)
	}
	p, err := s.transcripts.Page(runtime, file)
	if err != nil {
		return noTranscript(err)
	}
	p.Shell = s.bareShell(c, matrixURL, p.Runtime+": "+p.This.Name)
	return s.page(c, http.StatusOK, components.TranscriptPageView(p))
}

func noTranscript(err error) error {
	if errors.Is(err, matrix.ErrNoTranscript) {
		return refuse(http.StatusNotFound, "There is no such transcript.")
	}
	return err
}
