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
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"belay/web"
)

// policy is the page's Content-Security-Policy. Its one policy of trusted types, belay, makes
// the addresses of the page's own workers.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types belay"

// Page is a set of static files. It is safe for concurrent use.
type Page struct {
	files map[string]file
}

type file struct {
	mediaType string
	// content is read at the first request, and kept: a server that nobody looks at
	// holds none of the page in memory.
	content func() content
}

// content is what a file has. packed is data compressed, nil where that saves nothing.
type content struct {
	data, packed []byte
	etag         string
}

// views are the addresses of the page's views, which it reads itself. A name that ends
// in a slash stands for all one level below it; deep, for all levels below it.
var (
	views = []string{"/inbox", "/settings", "/portal", "/workbench", "/pipeline", "/s/", "/q/"}
	deep  = "/p/"
)

// hashed is the folder of files that have a hash of their content in their name.
const hashed = "/assets/"

// New returns the embedded page.
func New() *Page { return of(web.Files()) }

func of(files fs.FS) *Page {
	p := &Page{files: map[string]file{}}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		p.files["/"+name] = file{mediaType(name), sync.OnceValue(func() content { return read(files, name) })}
		return nil
	})
	if err != nil {
		panic("page: " + err.Error()) // an embedded file always reads
	}
	p.files["/"] = p.files["/index.html"]
	delete(p.files, "/index.html")
	return p
}

// read reads a file, and compresses it.
func read(files fs.FS, name string) content {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		panic("page: " + err.Error()) // an embedded file always reads
	}
	digest := sha256.Sum256(data)
	return content{data, pack(data), `"` + hex.EncodeToString(digest[:16]) + `"`}
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

// pack compresses data, and returns nil where that saves nothing.
func pack(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(data); err != nil || w.Close() != nil || b.Len() >= len(data) {
		return nil
	}
	return b.Bytes()
}

// find returns the file of a path. All views are the same document.
func (p *Page) find(name string) (file, bool) {
	if f, ok := p.files[name]; ok {
		return f, true
	}
	for _, v := range views {
		rest, below := strings.CutPrefix(name, v)
		if below && (rest == "" && !strings.HasSuffix(v, "/") || rest != "" && strings.HasSuffix(v, "/") && !strings.Contains(rest, "/")) {
			return p.files["/"], true
		}
	}
	if rest, below := strings.CutPrefix(name, deep); below && rest != "" {
		return p.files["/"], true
	}
	return file{}, false
}

// Has reports whether the page has something at that path.
func (p *Page) Has(path string) bool { _, ok := p.find(path); return ok }

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := p.find(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	content := f.content()
	head := w.Header()
	head.Set("Content-Type", f.mediaType)
	head.Set("ETag", content.etag)
	if strings.HasPrefix(r.URL.Path, hashed) {
		head.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		// Always asked for, never stale: a new server brings its own page.
		head.Set("Cache-Control", "no-cache")
	}
	head.Set("Content-Security-Policy", policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Vary", "Accept-Encoding")
	data := content.data
	if content.packed != nil && acceptsGzip(r) {
		data = content.packed
		head.Set("Content-Encoding", "gzip")
		head.Set("ETag", strings.TrimSuffix(content.etag, `"`)+`-gzip"`)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// acceptsGzip reports whether a request names gzip and does not refuse it.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := strings.ReplaceAll(params, " ", "")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") && q != "q=0" && !strings.HasPrefix(q, "q=0.0") {
			return true
		}
	}
	return false
}
