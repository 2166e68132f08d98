package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"belay/internal/fault"
)

// fields reads the request's body as one JSON object. The values that it holds
// must not outlive the request.
func (h *Handler) fields(w *response, r *http.Request) (fields, error) {
	body, err := h.body(w, r)
	if err != nil {
		return fields{}, err
	}
	// Some editors and shells begin a text with a byte order mark, which a reader may
	// skip (RFC 8259, section 8.1).
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	most := maxValues
	if w.route != nil && w.route.wide {
		most *= wideBody
	}
	err = checkJSON(body, most)
	if many := (*tooManyError)(nil); errors.As(err, &many) {
		return fields{}, fault.New(fault.RequestTooLarge, "the body has %s", many).With("field", "body").With("limit", many.limit).
			WithHint("send less at once")
	}
	var o object
	if err == nil {
		var ok bool
		if o, ok = objectOf(body); !ok {
			err = errors.New("must be a JSON object")
		}
	}
	if err != nil {
		return fields{}, fault.New(fault.InvalidRequest, "the body %v", err).With("field", "body").WithHint("send one JSON object in UTF-8, in which no key is twice")
	}
	return newFields(o), h.projectInBody(w, &o)
}

// wideBody is how many times a wide route's body may be as long as another one's: a register
// has up to 16 MiB, and in JSON each row repeats the names of its columns.
const wideBody = 8

// body reads a whole JSON body within its limits of size and time; the time
// runs since the request came.
func (h *Handler) body(w *response, r *http.Request) ([]byte, error) {
	limit := h.o.BodyBytes
	if w.route != nil && w.route.wide {
		limit *= wideBody
	}
	if err := notEncoded(r); err != nil {
		return nil, err
	}
	if r.ContentLength > limit {
		return nil, tooLarge("body", limit, sendLess)
	}
	b := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 512)+bytes.MinRead, 1<<20)))
	n, err := b.ReadFrom(io.LimitReader(r.Body, limit+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, tooSlow(h.o.BodyTimeout)
	case err != nil:
		return nil, unreadable(err)
	case n > limit:
		return nil, tooLarge("body", limit, sendLess)
	}
	// All of it is here: from now on a read is how a client's leaving is noticed.
	w.expect(0)
	return b.Bytes(), nil
}

// notEncoded refuses a body that is compressed: its limit counts the bytes that are read.
func notEncoded(r *http.Request) error {
	encoding := strings.TrimSpace(r.Header.Get("Content-Encoding"))
	if encoding == "" || strings.EqualFold(encoding, "identity") {
		return nil
	}
	return fault.New(fault.InvalidRequest, "the body has the Content-Encoding %s, and none is read", fault.Clip(encoding)).
		WithStatus(http.StatusUnsupportedMediaType).With("field", "Content-Encoding").WithHint("send the body as it is")
}

func unreadable(cause error) error {
	return fault.New(fault.InvalidRequest, "the body could not be read to its end").With("field", "body").WithHint("send the request again").Because(cause)
}

func tooSlow(limit time.Duration) error {
	return fault.New(fault.InvalidRequest, "the body did not arrive within %v", limit).
		WithStatus(http.StatusRequestTimeout).With("field", "body").WithHint("send the body without a pause")
}

// sendLess is the next step for a body that is too large.
const sendLess = "send less; large files go to POST /api/harness/attachments"

// tooLarge names the limit and the next step.
func tooLarge(what string, limit int64, hint string) error {
	return fault.New(fault.RequestTooLarge, "the %s is larger than the limit of %d bytes", what, limit).With("limit", limit).WithHint("%s", hint)
}
