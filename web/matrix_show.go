package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"cairn/components"
)

const matrixURL = "/matrix"

// matrixShow is the support matrix.
func (s *Server) matrixShow(c echo.Context) error {
	p := s.matrix
	p.Shell = components.Shell{Title: "Support matrix", Crumb: "Support matrix", Assets: s.Assets}
	p.Shell.Demos, p.Shell.Measured = s.sidebar(matrixURL)
	return s.page(c, http.StatusOK, components.MatrixPageView(p))
}
