package anthropic

import (
	"errors"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/redact"
)

// Answered implements [upstream.Protocol].
func (p *protocol) Answered(err error, clean *redact.Redactor, now time.Time) *fault.Error {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return nil
	}
	body := upstream.ParseError([]byte(e.RawJSON()))
	status := e.StatusCode
	if status < 400 {
		status = 0 // an error inside a stream: its type alone tells
	}
	f := model.UpstreamFailure(Name, status, upstream.TypeName(body.Kind), clean.String(body.Message), upstream.RetryAfter(e.Response, now), e)
	switch {
	case f.Status == http.StatusNotFound && body.Kind == "not_found_error":
		f = f.WithHint("name a model that the service still has, with --model, or with model or default_model in the configuration")
	case f.Status == http.StatusNotFound:
		f = f.WithHint("nothing there has the API; check anthropic.base_url, which ends before /v1/messages")
	}
	return upstream.WithRequestID(f, e.RequestID)
}
