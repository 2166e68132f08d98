package api

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/session"
)

// importedAnswer is a session that came in, the id that it had where it came from, the SHA-256 of
// attachments that did not come with it, and what is left out of its files.
type importedAnswer struct {
	Session  session.Record    `json:"session"`
	From     string            `json:"from"`
	Lacks    []string          `json:"lacks,omitempty"`
	Problems []session.Problem `json:"problems,omitempty"`
}

// maxArchive is how many bytes an archive that is imported has at most, compressed. Its
// content has limits of its own.
const maxArchive = 1 << 30

// archiveRoutes are the endpoints that take sessions out of projects and into them.
func archiveRoutes() []route {
	return []route{
		{method: get, path: "/api/harness/session/{id}/export", name: "exportSession", summary: "A session with its attachments as one .tar.gz, as belay session export writes it. The trailer Belay-Left-Out has the SHA-256 of attachments whose bytes are gone or changed on disk.",
			params: []param{sessionPath}, media: "application/gzip", action: action{serve: serveExport},
			errors: []fault.Type{fault.SessionNotFound, fault.StorageFailure}},
		{method: post, path: "/api/harness/session/import", name: "importSession", summary: "Make a session of such an archive. It keeps its id where that is free.", access: operator,
			params: []param{projectRoot},
			action: action{body: uploadForm{}, answer: importedAnswer{}, serve: serveImport},
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.StorageFailure})},
	}
}

// serveExport streams the archive. One that breaks off does not look whole: the connection
// is cut, and the archive's sums are its last file.
func serveExport(c *call) error {
	if _, err := c.o.Engine.Get(c.ctx(), c.id()); err != nil {
		return err
	}
	w := &beginning{c.w, func(head http.Header) {
		head.Set("Content-Type", "application/gzip")
		head.Set("Content-Disposition", disposition(c.id()+".tar.gz"))
		head["Cache-Control"] = headerNoStore
		head["Trailer"] = []string{leftOutTrailer, leftOutCountTrailer}
	}}
	if c.r.Method == http.MethodHead {
		w.headers(c.w.Header())
		c.w.WriteHeader(http.StatusOK)
		return nil
	}
	leftOut, err := c.o.Engine.Export(c.ctx(), c.id(), w)
	if err == nil && len(leftOut) > 0 {
		c.w.Header().Set(leftOutTrailer, strings.Join(leftOut[:min(len(leftOut), maxLeftOut)], " "))
		c.w.Header().Set(leftOutCountTrailer, strconv.Itoa(len(leftOut)))
		c.o.Logger.Warn("attachments are left out of an export: their bytes are gone or were changed on disk", "session", c.id(), "attachments", leftOut)
	}
	return err
}

// leftOutTrailer comes after an archive and has the hashes of the first maxLeftOut attachments
// that it lacks, with blanks between them; leftOutCountTrailer has the number of all. Some
// clients take no trailer of more than 4 KiB.
const (
	leftOutTrailer      = "Belay-Left-Out"
	leftOutCountTrailer = "Belay-Left-Out-Count"
	maxLeftOut          = 50
)

// beginning sets the headers of a download with its first byte: what fails before that is
// answered as a failure.
type beginning struct {
	*response
	headers func(http.Header)
}

func (w *beginning) Write(b []byte) (int, error) {
	if !w.started() {
		w.headers(w.Header())
	}
	return w.response.Write(b)
}

func serveImport(c *call) error {
	root, err := queryField(c.r, byRoot)
	if err != nil {
		return err
	}
	return receive(c, maxArchive, "archive", "import a smaller archive", func(_ string, content io.Reader) (any, error) {
		in, err := c.o.Engine.Import(c.ctx(), root, content)
		return importedAnswer{in.Record, in.From, in.Lacks, in.Problems}, err
	})
}
