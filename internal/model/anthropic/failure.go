package anthropic

import (
	"encoding/json"
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/redact"
)

// answered maps an error that the service answered, instead of a stream or in it.
func (p *Provider) answered(err error, clean *redact.Redactor) *fault.Error {
	var event *serviceError
	if errors.As(err, &event) {
		return model.UpstreamFailure(Name, 0, upstream.TypeName(event.kind), clean.String(event.message), 0, err)
	}
	var e *sdk.Error
	if !errors.As(err, &e) {
		return nil
	}
	var body struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	// A gateway's page is not JSON; then the status alone must do.
	_ = json.Unmarshal([]byte(e.RawJSON()), &body)
	f := model.UpstreamFailure(Name, e.StatusCode, upstream.TypeName(body.Error.Type), clean.String(body.Error.Message), p.failures.RetryAfter(e.Response), e)
	return upstream.WithRequestID(f, e.RequestID)
}
