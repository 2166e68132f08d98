package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"
	"time"
)

// maxAnswer caps the body of an answer: 100 messages with all their fields fit.
const maxAnswer = 16 << 20

// transport sends the library's requests. It streams files, which the library would
// hold in memory, caps answers, and completes what servers say about rate limits.
type transport struct{ next http.RoundTripper }

func newTransport() *transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = uploadTimeout
	return &transport{t}
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if files, ok := req.Context().Value(filesKey{}).([]Upload); ok && len(files) > 0 {
		var err error
		if req, err = withFiles(req, files); err != nil {
			return nil, err
		}
	}
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, maxAnswer), res.Body}
	if res.StatusCode == http.StatusTooManyRequests {
		waitable(res.Header)
	}
	return res, nil
}

// maxWait is more than any call may take.
const maxWait = time.Hour

// waitable makes the library wait after a 429: it asks again at once where the
// header of the bucket is missing, and fails where the time is no whole number. A ban of hours
// is longer than any call may take: its deadline ends it.
func waitable(h http.Header) {
	if h.Get("X-RateLimit-Bucket") == "" {
		h.Set("X-RateLimit-Bucket", "unknown")
	}
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || math.IsNaN(seconds) {
		seconds = 1
	}
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(min(max(seconds, 1), maxWait.Seconds())))))
}

type filesKey struct{}

// withUploads has the next request carry files beside its JSON body.
func withUploads(ctx context.Context, files []Upload) context.Context {
	return context.WithValue(ctx, filesKey{}, files)
}

// withFiles puts a request's JSON body and files into a multipart body that is read
// from the files while it is sent
// (https://discord.com/developers/docs/reference#uploading-files).
func withFiles(req *http.Request, files []Upload) (*http.Request, error) {
	payload, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	_ = req.Body.Close()
	var frame bytes.Buffer
	w := multipart.NewWriter(&frame)
	part := func(disposition, kind string) error {
		_, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {"form-data; " + disposition}, "Content-Type": {kind}})
		return err
	}
	if err := part(`name="payload_json"`, "application/json"); err != nil {
		return nil, err
	}
	frame.Write(payload)
	// Each file follows the frame up to its mark.
	var marks []int
	length := int64(0)
	for i, f := range files {
		if err := part(fmt.Sprintf(`name="files[%d]"; filename="%s"`, i, f.Name), "application/octet-stream"); err != nil {
			return nil, err
		}
		marks = append(marks, frame.Len())
		length += f.Size
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	body := &filesBody{frame: frame.Bytes(), marks: marks, files: files}
	sent := req.Clone(req.Context())
	sent.Header.Set("Content-Type", w.FormDataContentType())
	sent.Body, sent.GetBody, sent.ContentLength = body, nil, length+int64(frame.Len())
	return sent, nil
}

// filesBody reads a frame with files at its marks, one open at a time.
type filesBody struct {
	frame []byte
	at    int
	marks []int
	files []Upload
	open  io.ReadCloser
	left  int64
}

// Read implements [io.Reader].
func (b *filesBody) Read(p []byte) (int, error) {
	for {
		if b.open != nil {
			n, err := b.open.Read(p[:min(int64(len(p)), b.left)])
			b.left -= int64(n)
			switch {
			case b.left == 0:
				err = b.closeFile()
			case err == io.EOF:
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
		end := len(b.frame)
		if len(b.marks) > 0 {
			end = b.marks[0]
		}
		if b.at < end {
			n := copy(p, b.frame[b.at:end])
			b.at += n
			return n, nil
		}
		if len(b.marks) == 0 {
			return 0, io.EOF
		}
		f, err := b.files[0].Open()
		if err != nil {
			return 0, err
		}
		b.open, b.left = f, b.files[0].Size
		b.marks, b.files = b.marks[1:], b.files[1:]
	}
}

func (b *filesBody) closeFile() error {
	err := b.open.Close()
	b.open = nil
	return err
}

// Close implements [io.Closer].
func (b *filesBody) Close() error {
	if b.open != nil {
		return b.closeFile()
	}
	return nil
}

// quiet is a logger for the library: its warnings and errors, as debug lines. At
// lower levels it writes bodies and addresses.
func quiet(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(lower{log.Handler()})
}

type lower struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (h lower) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, slog.LevelDebug)
}

// Handle implements [slog.Handler]. Of the attributes only the numbers and flags pass.
func (h lower) Handle(ctx context.Context, r slog.Record) error {
	plain := slog.NewRecord(time.Now(), slog.LevelDebug, "disgo: "+r.Message, 0)
	r.Attrs(func(a slog.Attr) bool {
		switch a.Value.Kind() {
		case slog.KindInt64, slog.KindBool, slog.KindDuration:
			plain.AddAttrs(a)
		}
		return true
	})
	return h.Handler.Handle(ctx, plain)
}

// WithAttrs implements [slog.Handler]. WithGroup too: the library's names are dropped.
func (h lower) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements [slog.Handler].
func (h lower) WithGroup(string) slog.Handler { return h }
