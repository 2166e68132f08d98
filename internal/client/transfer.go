package client

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"belay/internal/attachment"
	"belay/internal/session"
	"belay/internal/turn"
)

// Upload implements turn.Engine: the content streams to the server and is never
// held whole. Upload does not close it.
func (c *Client) Upload(ctx context.Context, u turn.Upload) (out turn.Uploaded, err error) {
	q := url.Values{}
	if u.SessionID != "" {
		q.Set("sessionId", u.SessionID)
	}
	if u.ProjectRoot != "" {
		q.Set("projectRoot", u.ProjectRoot)
	}
	return out, sendFile(ctx, c, harness+"attachments?"+q.Encode(), u.Name, u.Content, &out)
}

// Export implements turn.Engine.
func (c *Client) Export(ctx context.Context, id string, w io.Writer) (leftOut []string, err error) {
	req, err := c.server.request(ctx, http.MethodGet, sessionPath(id, "/export"), nil)
	if err != nil {
		return nil, err
	}
	res, err := c.server.patient().do(req)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(w, res.Body) // the trailer comes after it
	leftOut = strings.Fields(res.Trailer.Get("Belay-Left-Out"))
	return leftOut, errors.Join(err, res.Body.Close())
}

// Import implements turn.Engine; the token must be the operator's. Import does not close
// the archive.
func (c *Client) Import(ctx context.Context, projectRoot string, archive io.Reader) (session.Imported, error) {
	var out struct {
		Session  session.Record
		From     string
		Lacks    []string
		Problems []session.Problem
	}
	err := sendFile(ctx, c, harness+"session/import?projectRoot="+url.QueryEscape(projectRoot), "session.tar.gz", archive, &out)
	return session.Imported{Record: out.Session, From: out.From, Lacks: out.Lacks, Problems: out.Problems}, err
}

// sendFile sends one file as a form. The content streams and is never held whole.
func sendFile(ctx context.Context, c *Client, path, name string, content io.Reader, out any) error {
	pr, pw := io.Pipe()
	form := multipart.NewWriter(pw)
	done := make(chan struct{})
	go func() {
		defer close(done)
		part, err := form.CreateFormFile("file", name)
		if err == nil {
			_, err = io.Copy(part, content)
		}
		if err == nil {
			err = form.Close()
		}
		pw.CloseWithError(err) // nil is io.EOF
	}()
	req, err := c.server.request(ctx, http.MethodPost, path, pr)
	if err == nil {
		req.Header.Set("Content-Type", form.FormDataContentType())
		err = c.server.patient().receive(req, out)
	}
	// The server may have answered before the end: let the writer go.
	_ = pr.CloseWithError(context.Canceled)
	<-done
	return err
}

// Blob implements turn.Engine. Of the item it knows what the answer's headers
// say.
func (c *Client) Blob(ctx context.Context, sessionID, sha256 string) (io.ReadCloser, attachment.Item, error) {
	path := harness + "blob/" + strings.ReplaceAll(url.PathEscape(sha256), ".", "%2E") + "?sessionId=" + url.QueryEscape(sessionID)
	req, err := c.server.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, attachment.Item{}, err
	}
	res, err := c.server.do(req)
	if err != nil {
		return nil, attachment.Item{}, err
	}
	item := attachment.Item{SHA256: sha256, MIMEType: res.Header.Get("Content-Type"), Bytes: max(res.ContentLength, 0)}
	item.Kind = attachment.KindOf(item.MIMEType)
	if _, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil {
		item.Name = params["filename"]
	}
	return res.Body, item, nil
}
