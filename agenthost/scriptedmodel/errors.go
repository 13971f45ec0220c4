package scriptedmodel

import (
	"encoding/json"
	"net/http"
)

const invalidRequest = "invalid_request_error"

// apiError is the error object of the OpenAI API; empty Param and Code are null.
type apiError struct {
	Message, Type, Param, Code string
}

func (e *apiError) MarshalJSON() ([]byte, error) {
	null := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return json.Marshal(struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}{e.Message, e.Type, null(e.Param), null(e.Code)})
}

func writeError(w http.ResponseWriter, status int, e *apiError) {
	writeJSON(w, status, map[string]*apiError{"error": e})
}

// writeJSON ignores write errors: they mean the client went away.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
