package api

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/view"
)

// byteRange is a part of a file.
type byteRange struct{ from, size int64 }

// rangeOf reads a Range header (RFC 9110, section 14). It is false where the whole file is
// to be sent: no range, one that is malformed, several, or one of another content than
// If-Range names. It fails with INVALID_REQUEST, as 416, where the file has no such part.
func rangeOf(r *http.Request, tag string, size int64) (part byteRange, ok bool, err error) {
	spec, is := strings.CutPrefix(r.Header.Get("Range"), "bytes=")
	if !is || strings.Contains(spec, ",") {
		return part, false, nil
	}
	if known := r.Header.Get("If-Range"); known != "" && known != tag {
		return part, false, nil
	}
	first, last, is := strings.Cut(strings.TrimSpace(spec), "-")
	if !is {
		return part, false, nil
	}
	a, aOK := offset(first)
	b, bOK := offset(last)
	switch {
	case first == "" && bOK: // the last bytes
		part = byteRange{max(0, size-b), min(b, size)}
	case aOK && last == "":
		part = byteRange{a, size - a}
	case aOK && bOK && a <= b:
		part = byteRange{a, min(b-a, size-a-1) + 1}
	default:
		return part, false, nil
	}
	if part.size <= 0 || part.from >= size {
		return part, false, fault.New(fault.InvalidRequest, "the file has %d bytes, and none in that range", size).WithStatus(http.StatusRequestedRangeNotSatisfiable).
			With("field", "Range").With("size", size).WithHint("ask for its size first, with HEAD")
	}
	return part, true, nil
}

// offset reads a number of a range; false where it is none.
func offset(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && s[0] != '+' && s[0] != '-'
}

// sendPart sends a part of a file as 206.
func sendPart(c *call, f *view.Opened, part byteRange) error {
	head := c.w.Header()
	head.Set("Content-Range", "bytes "+strconv.FormatInt(part.from, 10)+"-"+strconv.FormatInt(part.from+part.size-1, 10)+"/"+strconv.FormatInt(f.Size, 10))
	return sendBytes(c, http.StatusPartialContent, f.Part(part.from, part.size), part.size)
}

// sendBytes sends what a file holds. One that becomes shorter meanwhile breaks the
// connection, so that nobody takes what came for all of it.
func sendBytes(c *call, status int, from io.Reader, size int64) error {
	c.w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	c.w.WriteHeader(status)
	if c.r.Method == http.MethodHead {
		return nil
	}
	if n, err := io.Copy(c.w, from); c.ctx().Err() == nil && (err != nil || n < size) {
		panic(http.ErrAbortHandler)
	}
	return nil
}
