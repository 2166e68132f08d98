package page

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"belay/web"
)

func get(p *Page, method, path string, head map[string]string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	for name, v := range head {
		r.Header.Set(name, v)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

func TestPage(t *testing.T) {
	t.Parallel()
	p := New()
	for path, want := range map[string]string{
		"/":          "text/html; charset=utf-8",
		"/app.js":    "text/javascript; charset=utf-8",
		"/style.css": "text/css; charset=utf-8",
		"/icon.svg":  "image/svg+xml",
	} {
		res := get(p, "GET", path, nil)
		if !p.Has(path) || res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != want {
			t.Errorf("%s: %s, %s", path, res.Status, res.Header.Get("Content-Type"))
		}
		policy := res.Header.Get("Content-Security-Policy")
		for _, rule := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, rule) {
				t.Errorf("%s: the policy lacks %s", path, rule)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %s", path, policy)
		}
		again := get(p, "GET", path, map[string]string{"If-None-Match": res.Header.Get("ETag")})
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: asked again: %s", path, again.Status)
		}
	}
	if res := get(p, "POST", "/", nil); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", res.Status)
	}
	for _, path := range []string{"/index.html", "/dist", "/../page.go", "/nothing"} {
		if p.Has(path) || get(p, "GET", path, nil).StatusCode != http.StatusNotFound {
			t.Errorf("the page has %s", path)
		}
	}
}

// TestNothingRunsFromText: the policy would stop it, and the sources do not try.
func TestNothingRunsFromText(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\son[a-z]+="|style="|javascript:|https?://`)
	files := web.Files()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if found := forbidden.Find(data); found != nil && !(name == "icon.svg" && string(found) == "http://") {
			t.Errorf("%s has %q", name, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
