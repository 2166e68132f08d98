package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"belay/internal/api"
	"belay/internal/api/apitest"
)

// onePage is a page of one file.
type onePage struct{}

func (onePage) Has(path string) bool { return path == "/" }

func (onePage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "the page")
}

// A page's files are for reading; every other method gets the error that every
// endpoint gives.
func TestPageIsForReading(t *testing.T) {
	t.Parallel()
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}, Page: onePage{}}))
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "DELETE": 405, "BREW": 405} {
		req, err := http.NewRequestWithContext(t.Context(), method, base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d", method, res.StatusCode)
		}
		if want == 405 && (res.Header.Get("Allow") != "GET, HEAD" || !strings.Contains(string(body), `"type":"METHOD_NOT_ALLOWED"`)) {
			t.Errorf("%s: Allow %q, %s", method, res.Header.Get("Allow"), body)
		}
	}
}
