// Package page serves the embedded page: a few static files with a strict policy
// of what they may do.
//
// The page has no rights of its own. It talks to the same HTTP contract as every
// other client, and what it may do is what its browser's cookie allows. Only its
// own script runs, nothing inline, and it may connect to nothing but this server,
// so a text from a model or a file that slipped into the markup could still do
// nothing.
package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"time"

	"belay/web"
)

// policy is the page's Content-Security-Policy.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Page is a set of static files. It is safe for concurrent use.
type Page struct {
	files map[string]file
}

type file struct {
	data            []byte
	mediaType, etag string
}

// New returns the embedded page.
func New() *Page { return of(web.Files()) }

func of(files fs.FS) *Page {
	p := &Page{files: map[string]file{}}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(data)
		p.files["/"+name] = file{data, mediaType(name), `"` + hex.EncodeToString(digest[:16]) + `"`}
		return nil
	})
	if err != nil {
		panic("page: " + err.Error()) // an embedded file always reads
	}
	p.files["/"] = p.files["/index.html"]
	delete(p.files, "/index.html")
	return p
}

// mediaType does not ask the machine, whose table may say anything.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// Has reports whether the page has a file at that path.
func (p *Page) Has(path string) bool { _, ok := p.files[path]; return ok }

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := p.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	head := w.Header()
	head.Set("Content-Type", f.mediaType)
	head.Set("ETag", f.etag)
	// Always asked for, never stale: a new server brings its own page.
	head.Set("Cache-Control", "no-cache")
	head.Set("Content-Security-Policy", policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}
