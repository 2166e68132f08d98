package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"belay/internal/api"
	"belay/internal/api/apitest"
)

// openapi is the reference of the HTTP interface, as a server gives it. The page's
// types are made from it.
func openapi(string) ([]byte, error) {
	h := api.New(api.Options{Engine: &apitest.Engine{}, Version: "web"})
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://127.0.0.1/openapi.json", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return nil, fmt.Errorf("GET /openapi.json: %d %s", w.Code, w.Body)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, w.Body.Bytes(), "", " "); err != nil {
		return nil, fmt.Errorf("indent: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
