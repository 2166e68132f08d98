package page

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
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
	paths := map[string]string{
		"/":           "text/html; charset=utf-8",
		"/inbox":      "text/html; charset=utf-8",
		"/settings":   "text/html; charset=utf-8",
		"/s/sess_1":   "text/html; charset=utf-8",
		"/q/dec_1":    "text/html; charset=utf-8",
		"/p/p_1/a/b":  "text/html; charset=utf-8",
		"/icon.svg":   "image/svg+xml",
		built(".js"):  "text/javascript; charset=utf-8",
		built(".css"): "text/css; charset=utf-8",
	}
	for path, want := range paths {
		res := get(p, "GET", path, nil)
		if !p.Has(path) || res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != want {
			t.Errorf("%s: %s, %s", path, res.Status, res.Header.Get("Content-Type"))
		}
		// A file whose name changes with its content is kept; all others are asked for.
		if kept := strings.Contains(res.Header.Get("Cache-Control"), "immutable"); kept != strings.HasPrefix(path, "/assets/") {
			t.Errorf("%s: Cache-Control is %s", path, res.Header.Get("Cache-Control"))
		}
		policy := res.Header.Get("Content-Security-Policy")
		for _, rule := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types belay"} {
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
	for _, path := range []string{"/index.html", "/dist", "/../page.go", "/nothing", "/assets", "/assets/", "/s", "/s/", "/s/a/b", "/p", "/p/", "/q/", "/inbox/", "/inbox/a", "/api/s/x"} {
		if p.Has(path) || get(p, "GET", path, nil).StatusCode != http.StatusNotFound {
			t.Errorf("the page has %s", path)
		}
	}
}

// A client that takes gzip gets it, under a tag of its own; both are the same file.
func TestCompressed(t *testing.T) {
	t.Parallel()
	p := New()
	script := built(".js")
	plain := get(p, "GET", script, nil)
	want, err := io.ReadAll(plain.Body)
	if err != nil || plain.Header.Get("Content-Encoding") != "" {
		t.Fatalf("%v, %s", err, plain.Header.Get("Content-Encoding"))
	}
	for accept, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0": false, "br": false} {
		res := get(p, "GET", script, map[string]string{"Accept-Encoding": accept})
		if got := res.Header.Get("Content-Encoding") == "gzip"; got != packed {
			t.Errorf("%s: compressed is %t", accept, got)
		}
		if (res.Header.Get("ETag") == plain.Header.Get("ETag")) == packed {
			t.Errorf("%s: the tag is %s", accept, res.Header.Get("ETag"))
		}
		body := io.Reader(res.Body)
		if packed {
			if body, err = gzip.NewReader(res.Body); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d, %v", accept, len(got), len(want), err)
		}
	}
}

// firstView is the most that a browser loads before the page is there, compressed.
const firstView = 250 << 10

// What the document names, and all that these files import at once, is small.
func TestFirstViewIsSmall(t *testing.T) {
	t.Parallel()
	document, err := fs.ReadFile(web.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?:src|href)="/([^"]+)"`).FindAllSubmatch(document, -1)
	total := 0
	for _, name := range named {
		data, err := fs.ReadFile(web.Files(), string(name[1]))
		if err != nil {
			t.Fatal(err)
		}
		if small := pack(data); small != nil {
			data = small
		}
		total += len(data)
	}
	if len(named) < 3 || total > firstView {
		t.Errorf("%d files of %d bytes, at most %d", len(named), total, firstView)
	}
}

// built is the first file of dist/assets with that ending that index.html names.
func built(ending string) string {
	document, err := fs.ReadFile(web.Files(), "index.html")
	if err != nil {
		panic(err)
	}
	return string(regexp.MustCompile(`"(/assets/[^"]+` + regexp.QuoteMeta(ending) + `)"`).FindSubmatch(document)[1])
}

// TestNothingRunsFromText: the policy would stop it, and the sources do not try.
func TestNothingRunsFromText(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\son[a-z]+="|style="|javascript:|https?://|<img`)
	check := func(files fs.FS, forbidden *regexp.Regexp, endings ...string) (n int) {
		err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains(endings, path.Ext(name)) || strings.HasSuffix(name, ".test.ts") {
				return err
			}
			n++
			data, err := fs.ReadFile(files, name)
			if found := forbidden.Find(data); found != nil {
				t.Errorf("%s has %q", name, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := check(os.DirFS("../../web/src"), forbidden, ".ts", ".tsx", ".css"); n < 30 {
		t.Errorf("only %d sources were looked at", n)
	}
	// What comes from libraries may name what the policy forbids, but not ask elsewhere
	// for anything nor make a script of a text.
	check(web.Files(), regexp.MustCompile(`\beval\(|new Function|sourceMappingURL`), ".js")
	check(web.Files(), regexp.MustCompile(`@import|url\(|sourceMappingURL|@font-face`), ".css")
	check(web.Files(), regexp.MustCompile(`<script(?: [^>]*)?>[^<]|<style|\son[a-z]+=|style=|https?://`), ".html")
}
