package openai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/redact"
)

// answerError is an error that was answered instead of a stream.
type answerError struct {
	errorBody
	res *http.Response // read and closed
}

func (e *answerError) Error() string {
	return fmt.Sprintf("%d %s: %s", e.res.StatusCode, e.Kind, e.Message)
}

// refused reads an error answer, of which the SDK takes OpenAI's own form only.
func refused(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res.StatusCode < 400 {
		return res, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	return nil, &answerError{parseError(data), res}
}

// serviceError is an error inside a stream.
type serviceError struct{ errorBody }

func (e *serviceError) Error() string { return e.Kind + ": " + e.Message }

// errorBody is what a service says of a failure.
type errorBody struct{ upstream.ErrorBody }

func parseError(data []byte) errorBody { return errorBody{upstream.ParseError(data)} }

// overContext reports whether the request was too long for the model.
func (e errorBody) overContext() bool {
	return e.Code == "context_length_exceeded" || e.Kind == "exceed_context_size_error" || model.SaysTooLong(e.Message)
}

// upstreamType is the service's name for the failure, the more precise one.
func (e errorBody) upstreamType() string {
	for _, name := range []string{e.Code, e.Kind} {
		if t := upstream.TypeName(name); t != "" {
			return t
		}
	}
	return ""
}

// Answered implements [upstream.Protocol].
func (p *protocol) Answered(err error, clean *redact.Redactor, now time.Time) *fault.Error {
	if event, ok := errors.AsType[*serviceError](err); ok {
		return p.upstreamFailure(event.errorBody, event.streamStatus(), clean, err)
	}
	var e *answerError
	if !errors.As(err, &e) {
		return nil
	}
	f := p.upstreamFailure(e.errorBody, e.res.StatusCode, clean, e)
	if t := (*model.TransientError)(nil); errors.As(f.Cause, &t) {
		t.After = upstream.RetryAfter(e.res, now)
	}
	return upstream.WithRequestID(f, e.res.Header.Get("X-Request-Id"))
}

// streamStatus is the status that the service would have answered before the
// stream began.
func (e *serviceError) streamStatus() int {
	switch {
	case e.Status >= 400 && e.Status < 600:
		return e.Status
	case e.Kind == "server_error" || e.Kind == "internal_error" || e.Kind == "InternalServerError":
		return 500
	case e.Code == "rate_limit_exceeded" || e.Kind == "rate_limit_exceeded":
		return 429
	case e.overContext():
		return 400
	}
	return 0
}

// upstreamFailure is a failure of the service, with the next step where there is a
// better one than usual.
func (p *protocol) upstreamFailure(e errorBody, status int, clean *redact.Redactor, cause error) *fault.Error {
	if e.overContext() {
		f := model.UpstreamFailure(Name, 400, e.upstreamType(), clean.String(e.Message), 0, nil)
		return f.Because(&model.TooLongError{Err: cause}).
			WithHint("attach less or start a new session; if the server's context is not what models or openai.context_tokens say, correct them")
	}
	kind := e.upstreamType()
	if status < 400 && kind == "" {
		kind = "api_error" // an error that says nothing of itself
	}
	f := model.UpstreamFailure(Name, status, kind, clean.String(e.Message), 0, cause)
	switch {
	case e.Code == "insufficient_quota" || e.Kind == "insufficient_quota":
		// Waiting does not help.
		return f.Because(cause).WithHint("the account has no credit left: look at its plan and billing")
	case f.Status == 401 || f.Status == 403:
		return f.WithHint("check OPENAI_API_KEY in the environment that belay runs in")
	case f.Status == 404 && !p.own:
		return f.WithHint("name a model that the server has with --model, or give it the model (ollama pull NAME); openai.base_url usually ends in /v1")
	case f.Status == 404:
		return f.WithHint("name a model that the account may use, with --model or with model in the configuration")
	}
	return f
}
