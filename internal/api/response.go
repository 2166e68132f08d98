package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"belay/internal/fault"
)

// writePiece is how much one write deadline covers, so that a slow but living
// reader of a large answer is not taken for a dead one.
const writePiece = 64 << 10

// errPanic is what a caller learns of a panic: nothing but that it happened.
var errPanic = errors.New("panic in a request handler")

// response is an http.ResponseWriter that gives every write a deadline and
// remembers what was sent.
type response struct {
	http.ResponseWriter
	ctl     *http.ResponseController
	timeout time.Duration
	// route is nil before it is known, and where there is none.
	route   *route
	span    trace.Span
	arrived time.Time
	// rest is when what the client still has to send must be here, zero where nothing is waited for.
	rest time.Time
	// first is when the answer began; status is 0 until then.
	first  time.Time
	status int
}

func newResponse(w http.ResponseWriter, timeout time.Duration) *response {
	res := &response{ResponseWriter: w, ctl: http.NewResponseController(w), timeout: timeout, arrived: time.Now()}
	res.extend()
	return res
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) started() bool { return w.status != 0 }

// extend gives the next write its deadline. net/http reads the rest of a short body before the
// answer leaves. Recorders in tests have none.
func (w *response) extend() {
	from := time.Now()
	if from.Before(w.rest) {
		from = w.rest
	}
	_ = w.ctl.SetWriteDeadline(from.Add(w.timeout))
}

// expect gives what the client still has to send its deadline; 0 is none.
func (w *response) expect(within time.Duration) {
	w.rest = time.Time{}
	if within > 0 {
		w.rest = time.Now().Add(within)
	}
	_ = w.ctl.SetReadDeadline(w.rest)
}

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status, w.first = status, time.Now()
		w.extend() // an answer without a body has no other write
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	for written := 0; ; {
		w.extend()
		n, err := w.ResponseWriter.Write(p[written:min(len(p), written+writePiece)])
		written += n
		if err != nil || written >= len(p) {
			return written, err
		}
	}
}

// flush sends what was written.
func (w *response) flush() error {
	w.extend()
	return w.ctl.Flush()
}

// buffers are reused between answers; large ones are left to the collector.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keepBuffer = 64 << 10

func getBuffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

func putBuffer(b *bytes.Buffer) {
	if b.Cap() <= keepBuffer {
		b.Reset()
		buffers.Put(b)
	}
}

// reply answers with a JSON value, as the original wrote it: without HTML
// escapes. It encodes before it sends, so that a failure is still a clean 500.
func reply(w http.ResponseWriter, status int, v any) error {
	b := getBuffer()
	defer putBuffer(b)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	head := w.Header()
	head["Content-Type"] = headerJSON
	head["Cache-Control"] = headerNoStore
	head["Content-Length"] = []string{strconv.Itoa(b.Len())}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client has left: nobody to tell
	return nil
}

// fail answers with an error. Where an answer has begun already it cuts the
// connection, so that the client does not take a part for the whole.
func (h *Handler) fail(res *response, r *http.Request, err error) {
	e := fault.From(err)
	if e.Status >= 500 && r.Context().Err() == nil && e.Type != fault.Overloaded && e.Type != fault.MissingAPIKey {
		h.o.Logger.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "type", e.Type, "error", err, "cause", e.Cause)
	}
	if res.started() {
		panic(http.ErrAbortHandler)
	}
	head := res.Header()
	switch e.Type {
	case fault.Overloaded:
		head.Set("Retry-After", "1")
	case fault.Unauthorized:
		head.Set("WWW-Authenticate", `Bearer realm="belay"`)
	case fault.MethodNotAllowed:
		if allow, ok := e.Details["allow"].(string); ok {
			head.Set("Allow", allow)
		}
	}
	if e.Status == http.StatusRequestTimeout || e.Status == http.StatusRequestEntityTooLarge {
		// The rest of the body is not worth reading.
		head.Set("Connection", "close")
	}
	if reply(res, e.Status, e.Body()) != nil {
		// Details that do not encode: the sentence still does.
		bare := *e
		bare.Details = nil
		_ = reply(res, e.Status, bare.Body())
	}
}

// Header values that every answer shares. They are never written to.
var (
	headerJSON        = []string{"application/json; charset=utf-8"}
	headerNoStore     = []string{"no-store"}
	headerNoSniff     = []string{"nosniff"}
	headerNoReferrer  = []string{"no-referrer"}
	headerSameOrigin  = []string{"same-origin"}
	headerNothing     = []string{"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"}
	headerEventStream = []string{"text/event-stream; charset=utf-8"}
	headerNoTransform = []string{"no-cache, no-transform"}
	headerKeepAlive   = []string{"keep-alive"}
	headerNoBuffering = []string{"no"}
)

// setSecurityHeaders says that an answer is data: nothing to run, frame or
// embed. The page and the docs bring a policy of their own.
func setSecurityHeaders(h http.Header) {
	h["X-Content-Type-Options"] = headerNoSniff
	h["Referrer-Policy"] = headerNoReferrer
	h["Cross-Origin-Resource-Policy"] = headerSameOrigin
	h["Content-Security-Policy"] = headerNothing
}
