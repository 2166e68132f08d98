package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/model"
	"belay/internal/netguard"
	"belay/internal/redact"
)

// Failures turns whatever goes wrong with a service into what a caller may see.
// It is safe for concurrent use and must not be copied.
type Failures struct {
	Service Service
	// Now is the clock for Retry-After dates.
	Now func() time.Time
	// Answered maps an error that is the protocol's own, or returns nil. Texts
	// from outside go through clean before anything shortens them, because half a
	// key is not recognised any more.
	Answered func(err error, clean *redact.Redactor, now time.Time) *fault.Error

	mu   sync.Mutex
	key  string
	last *redact.Redactor // of the last key: making one costs more than using it
}

// Of is err as ctx's own error when the caller cancelled, else as a *fault.Error
// without secrets, of which key is one.
func (s *Failures) Of(ctx context.Context, err error, key string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	clean := s.knowing(key)
	var f *fault.Error
	if !errors.As(err, &f) {
		f = s.Classify(err, clean)
	}
	c := *f
	c.Message = clean.String(f.Message)
	if details, ok := clean.Value(f.Details).(map[string]any); ok {
		c.Details = details
	}
	c.Cause = redactCause(clean.Error, f.Cause)
	return &c
}

func (s *Failures) knowing(key string) *redact.Redactor {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || s.key != key {
		s.key, s.last = key, redact.New(key)
	}
	return s.last
}

// redactCause cleans a cause and keeps it recognisable as transient or as a request
// that was too long.
func redactCause(clean func(error) error, cause error) error {
	if l := (*model.TooLongError)(nil); errors.As(cause, &l) {
		return &model.TooLongError{Err: clean(l.Err)}
	}
	if t := (*model.TransientError)(nil); errors.As(cause, &t) {
		return &model.TransientError{After: t.After, Err: clean(t.Err)}
	}
	return clean(cause)
}

// Classify maps err by what it is. The order matters: the network's errors wrap
// those of the body and of the guard.
func (s *Failures) Classify(err error, clean *redact.Redactor) *fault.Error {
	var (
		content  *ContentError
		refused  *netguard.ViolationError
		tooLarge *netguard.BodyTooLargeError
		line     *lineError
		request  *RequestSizeError
		protocol *ProtocolError
		name     = s.Service.Name
	)
	switch {
	case errors.As(err, &content):
		return fault.New(fault.StorageFailure, "an attachment could not be read while it was sent").
			With("provider", name).Because(err)
	case errors.As(err, &request):
		return model.Failure(name, 413, model.RequestTooLarge, request.Error()).
			WithHint("attach fewer or smaller files, or start a new session").Because(err)
	case errors.As(err, &refused):
		return model.Failure(name, 400, model.NetworkPolicyViolation, "the network policy does not allow the connection to the provider").
			With("policy", PolicyID).With(string(refused.Rule), refused.Value).Because(err)
	case errors.As(err, &tooLarge):
		return model.Failure(name, 502, model.ResponseTooLarge, tooLarge.Error()).
			WithHint("send the turn again").Because(err)
	case errors.As(err, &line):
		return model.Failure(name, 502, model.ResponseTooLarge, line.Error()).
			WithHint("send the turn again").Because(err)
	case errors.Is(err, ErrTooManyCalls):
		return model.Failure(name, 502, model.StreamInvalid, ErrTooManyCalls.Error()).Because(err)
	case errors.As(err, &protocol): // often something between here and the service
		return model.Failure(name, 502, model.StreamInvalid, clean.String(protocol.Error())).
			Because(&model.TransientError{Err: err})
	case errors.Is(err, ErrTruncated):
		return model.Failure(name, 502, model.StreamTruncated, ErrTruncated.Error()).
			Because(&model.TransientError{Err: err})
	}
	if f := s.Answered(err, clean, s.Now()); f != nil {
		return f
	}
	return s.network(err, clean)
}

var (
	requestID   = lazyregexp.New(`^[A-Za-z0-9_-]{1,128}$`)
	namePattern = lazyregexp.New(`^[a-z][a-z0-9_]{0,63}$`)
)

// WithRequestID adds the service's name of a request to f, if it looks like one.
func WithRequestID(f *fault.Error, id string) *fault.Error {
	if !requestID.MatchString(id) {
		return f
	}
	return f.With("requestId", id)
}

// TypeName lets a service's name for an error through if it looks like one.
func TypeName(s string) string {
	if !namePattern.MatchString(s) {
		return ""
	}
	return s
}

// longest bounds what is understood of a wait, to what a duration holds.
const longest = 250 * 365 * 24 * time.Hour

// RetryAfter reads how long the service asks to wait: seconds or a date or, in a
// header that both services and their clients know, milliseconds, which wins.
func RetryAfter(res *http.Response, now time.Time) time.Duration {
	if res == nil {
		return 0
	}
	if ms, err := strconv.ParseFloat(res.Header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms/1000, longest.Seconds()) * float64(time.Second))
	}
	v := res.Header.Get("Retry-After")
	if sec, err := strconv.ParseFloat(v, 64); err == nil && sec > 0 {
		return time.Duration(min(sec, longest.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(at.Sub(now), 0), longest)
	}
	return 0
}

// network maps an error of the connection.
func (s *Failures) network(err error, clean *redact.Redactor) *fault.Error {
	var (
		op      *net.OpError
		timeout net.Error
		cert    *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
	)
	late := errors.As(err, &timeout) && timeout.Timeout()
	connecting := errors.As(err, &op) && op.Op == "dial" ||
		strings.HasSuffix(err.Error(), "TLS handshake timeout") // whose type net/http keeps to itself
	if late && !connecting {
		return model.Failure(s.Service.Name, 504, model.RequestTimeout, "the provider did not begin its answer in time").Because(err)
	}
	cause := reason(err, clean)
	what := "the connection to the provider failed: " + cause
	if late {
		what = "the provider could not be connected to in time"
	}
	f := model.Failure(s.Service.Name, 503, model.NetworkError, what).
		With("cause", cause).
		WithHint("check the network and %s.base_url, then send the turn again", s.Service.Name)
	if errors.As(err, &cert) || errors.As(err, &unknown) {
		return f.Because(err) // a wrong certificate stays wrong
	}
	return f.Because(&model.TransientError{Err: err})
}

// maxCause caps details.cause.
const maxCause = 300

// reason is the innermost text of a network error, without the request around
// it.
func reason(err error, clean *redact.Redactor) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	s := clean.String(err.Error())
	if len(s) > maxCause {
		s = strings.ToValidUTF8(s[:maxCause], "")
	}
	return s
}
