package api

import (
	"cmp"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// inspectBody is the body of an inspection, for the reference.
type inspectBody struct {
	Attachments []string `json:"attachments" doc:"absolute paths, as a turn takes them"`
	Model       string   `json:"model,omitempty" doc:"the model whose limits count; the default model without it"`
	SessionID   string   `json:"sessionId,omitempty" doc:"the session whose project and model count"`
	ProjectRoot string   `json:"projectRoot,omitempty" doc:"the project whose limits count where there is no session yet"`
}

type inspectionsAnswer struct {
	Attachments []turn.Inspection `json:"attachments"`
}

// serveUpload streams one file of a multipart form to the engine; nothing is
// held in memory or in a temporary file of net/http's.
func serveUpload(c *call) error {
	q, err := query(c.r)
	if err != nil {
		return err
	}
	up := turn.Upload{SessionID: trim(q["sessionId"]), ProjectRoot: wanted(byRoot, q[byRoot])}
	if (up.SessionID == "") == (up.ProjectRoot == "") {
		return fault.New(fault.InvalidRequest, "exactly one of the parameters sessionId and projectRoot is required").With("field", "sessionId")
	}
	return receive(c, c.o.UploadBytes, "file", session.SmallerUpload, func(name string, content io.Reader) (any, error) {
		up.Name, up.Content = name, content
		return c.o.Engine.Upload(c.ctx(), up)
	})
}

// receive streams the one file of a multipart form to do, and answers with what that
// returns. The file, called what, has limit bytes at most; the hint is for a larger one.
func receive(c *call, limit int64, what, hint string, do func(name string, content io.Reader) (any, error)) error {
	if err := notEncoded(c.r); err != nil {
		return err
	}
	slow := &pacedReader{src: c.r.Body, w: c.w, pace: c.o.BodyTimeout}
	defer slow.stop()
	c.r.Body = io.NopCloser(slow)
	form, err := c.r.MultipartReader()
	if err != nil {
		return fault.New(fault.InvalidRequest, "the body must be multipart/form-data with one file").With("field", "body").WithHint("%s", oneFile).Because(err)
	}
	part, err := filePart(form)
	if err != nil {
		return slow.or(err)
	}
	file := &cappedReader{src: lastPart{part, form}, left: limit, limit: limit, what: what, hint: hint}
	done, err := do(part.FileName(), file)
	if err != nil {
		return slow.or(file.or(err))
	}
	if file.err != nil {
		return file.err
	}
	return reply(c.w, http.StatusOK, done)
}

// oneFile is the next step for a form of another kind.
const oneFile = "send one file, as curl -F file=@NAME does"

// lastPart is a part that fails at its end where the form goes on: what is made of it must
// not be kept then.
type lastPart struct {
	*multipart.Part
	form *multipart.Reader
}

func (p lastPart) Read(b []byte) (int, error) {
	n, err := p.Part.Read(b)
	if errors.Is(err, io.EOF) {
		if _, after := p.form.NextPart(); !errors.Is(after, io.EOF) {
			return n, fault.New(fault.InvalidRequest, "the form must end after its one file").With("field", "body").WithHint("%s", oneFile)
		}
	}
	return n, err
}

// filePart returns the form's first part, which must be a file.
func filePart(form *multipart.Reader) (*multipart.Part, error) {
	part, err := form.NextPart()
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the form has no file").With("field", "body").WithHint("%s", oneFile).Because(err)
	}
	if part.FileName() == "" {
		return nil, fault.New(fault.InvalidRequest, "the form's part %q is not a file: it has no file name", fault.Clip(part.FormName())).With("field", "body").WithHint("%s", oneFile)
	}
	return part, nil
}

// cappedReader fails at the first byte over its limit, and remembers why a read
// failed, whatever the engine makes of it.
type cappedReader struct {
	src         io.Reader
	left, limit int64
	what, hint  string
	err         error
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.src.Read(p)
	c.left -= int64(n)
	switch {
	case c.left < 0:
		c.err = tooLarge(c.what, c.limit, c.hint)
	case err != nil && !errors.Is(err, io.EOF):
		if c.err = unreadable(err); fault.Is(err, fault.InvalidRequest) {
			c.err = err
		}
	default:
		return n, err
	}
	return 0, c.err
}

// or returns the reader's own failure, which explains err.
func (c *cappedReader) or(err error) error {
	if c.err != nil {
		return c.err
	}
	return err
}

// pacedReader gives every read of a body its own deadline, so that an upload may
// take long but not stand still.
type pacedReader struct {
	src  io.Reader
	w    *response
	pace time.Duration
	slow bool
}

func (p *pacedReader) Read(b []byte) (int, error) {
	if p.slow { // a client that was given up is not waited for again
		return 0, os.ErrDeadlineExceeded
	}
	p.w.expect(p.pace)
	n, err := p.src.Read(b)
	p.slow = errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// stop bounds how long net/http waits for the unread rest of the body.
func (p *pacedReader) stop() {
	if !p.slow {
		p.w.expect(p.pace)
	}
}

func (p *pacedReader) or(err error) error {
	if p.slow {
		return tooSlow(p.pace)
	}
	return err
}

func (b *inspectBody) check(f fields) {
	if b.SessionID != "" && b.ProjectRoot != "" {
		f.bad("projectRoot", "does not go with sessionId: a session has its project")
	}
}

func inspectAttachments(c *call, b *inspectBody) (inspectionsAnswer, error) {
	list, err := c.o.Engine.Inspect(c.ctx(), turn.InspectRequest(*b))
	return inspectionsAnswer{orEmpty(list)}, err
}

// serveBlob sends the bytes of an attachment as a download: a browser must never
// show a file of a stranger as a page of this server.
func serveBlob(c *call) error {
	id, err := queryField(c.r, "sessionId")
	if err != nil {
		return err
	}
	content, item, err := c.o.Engine.Blob(c.ctx(), id, c.r.PathValue("sha256"))
	if err != nil {
		return err
	}
	defer content.Close()
	head := c.w.Header()
	head.Set("Content-Type", item.MIMEType)
	head.Set("Content-Disposition", disposition(item.Name))
	head.Set("Cache-Control", "private, max-age=31536000, immutable")
	head.Set("ETag", `"`+item.SHA256+`"`)
	if seeker, ok := content.(io.ReadSeeker); ok {
		http.ServeContent(c.w, c.r, "", time.Time{}, seeker)
		return nil
	}
	head.Set("Content-Length", strconv.FormatInt(item.Bytes, 10))
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(c.w, content); err != nil && c.ctx().Err() == nil {
		return err
	}
	return nil
}

// disposition names a download after RFC 6266: a plain name for every client,
// and the exact one where the plain one cannot hold it.
func disposition(name string) string {
	plain := strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' || strings.ContainsRune(`"\%;/`, c) {
			return '_'
		}
		return c
	}, name)
	plain = cmp.Or(plain, "attachment")
	d := `attachment; filename="` + plain + `"`
	if plain != name && name != "" {
		// RFC 5987 encodes a space as %20, never as a plus.
		d += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return d
}
