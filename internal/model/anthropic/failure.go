package anthropic

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/netguard"
	"belay/internal/redact"
)

// failure turns whatever went wrong into what a caller may see: ctx's own error
// when the caller cancelled, else a *fault.Error without secrets.
func (p *Provider) failure(ctx context.Context, err error, key string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	clean := p.redactors.knowing(key)
	var f *fault.Error
	if !errors.As(err, &f) {
		f = p.classify(err, clean)
	}
	c := *f
	c.Message = clean.String(f.Message)
	if details, ok := clean.Value(f.Details).(map[string]any); ok {
		c.Details = details
	}
	c.Cause = redactCause(clean.Error, f.Cause)
	return &c
}

// redactCause cleans a cause and keeps it recognisable as transient.
func redactCause(clean func(error) error, cause error) error {
	if t := (*model.TransientError)(nil); errors.As(cause, &t) {
		return &model.TransientError{After: t.After, Err: clean(t.Err)}
	}
	return clean(cause)
}

// classify maps err by what it is. The order matters: the network's errors wrap
// those of the body and of the guard. Texts from outside are cleaned before
// they are shortened, because half a key is not recognised any more.
func (p *Provider) classify(err error, clean *redact.Redactor) *fault.Error {
	var (
		content  *contentError
		refused  *netguard.ViolationError
		tooLarge *netguard.BodyTooLargeError
		line     *lineError
		request  *requestSizeError
		protocol *protocolError
		service  *serviceError
		api      *sdk.Error
	)
	switch {
	case errors.As(err, &content):
		return fault.New(fault.StorageFailure, "an attachment could not be read while it was sent").
			With("provider", Name).Because(err)
	case errors.As(err, &request):
		return model.Failure(Name, 413, model.RequestTooLarge, request.Error()).
			WithHint("attach fewer or smaller files, or start a new session").Because(err)
	case errors.As(err, &refused):
		return model.Failure(Name, 400, model.NetworkPolicyViolation, "the network policy does not allow the connection to the provider").
			With("policy", policyID).With(string(refused.Rule), refused.Value).Because(err)
	case errors.As(err, &tooLarge):
		return model.Failure(Name, 502, model.ResponseTooLarge, tooLarge.Error()).
			WithHint("send the turn again, or raise anthropic.stream_bytes").Because(err)
	case errors.As(err, &line):
		return model.Failure(Name, 502, model.ResponseTooLarge, line.Error()).
			WithHint("send the turn again, or raise anthropic.line_bytes").Because(err)
	case errors.As(err, &protocol):
		return model.Failure(Name, 502, model.StreamInvalid, clean.String(protocol.Error())).Because(err)
	case errors.Is(err, errTruncated):
		return model.Failure(Name, 502, model.StreamTruncated, errTruncated.Error()).
			Because(&model.TransientError{Err: err})
	case errors.As(err, &service):
		return model.UpstreamFailure(Name, 0, typeName(service.kind), clean.String(service.message), 0, err)
	case errors.As(err, &api):
		return p.answered(api, clean)
	default:
		return network(err, clean)
	}
}

// answered maps an error that the service answered instead of a stream.
func (p *Provider) answered(e *sdk.Error, clean *redact.Redactor) *fault.Error {
	var body struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	// A gateway's page is not JSON; then the status alone must do.
	_ = json.Unmarshal([]byte(e.RawJSON()), &body)
	f := model.UpstreamFailure(Name, e.StatusCode, typeName(body.Error.Type), clean.String(body.Error.Message), p.retryAfter(e.Response), e)
	if id := e.RequestID; requestID.MatchString(id) {
		f = f.With("requestId", id)
	}
	return f
}

var (
	requestID   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// typeName lets an upstream type through if it looks like one.
func typeName(s string) string {
	if !namePattern.MatchString(s) {
		return ""
	}
	return s
}

// retryAfter reads how long the service asks to wait: seconds or a date.
func (p *Provider) retryAfter(res *http.Response) time.Duration {
	if res == nil {
		return 0
	}
	v := res.Header.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(p.now()), 0)
	}
	return 0
}

// network maps an error of the connection.
func network(err error, clean *redact.Redactor) *fault.Error {
	var (
		op      *net.OpError
		timeout net.Error
		cert    *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
	)
	dialling := errors.As(err, &op) && op.Op == "dial"
	if errors.As(err, &timeout) && timeout.Timeout() && !dialling {
		return model.Failure(Name, 504, model.RequestTimeout, "the provider did not begin its answer in time (anthropic.header_timeout)").Because(err)
	}
	cause := reason(err, clean)
	f := model.Failure(Name, 503, model.NetworkError, "the connection to the provider failed: "+cause).
		With("cause", cause).
		WithHint("check the network and anthropic.base_url, then send the turn again")
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
