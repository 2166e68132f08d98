package anthropic

import (
	"encoding/json"
	"errors"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/redact"
)

// Answered implements [upstream.Protocol].
func (p *protocol) Answered(err error, clean *redact.Redactor, now time.Time) *fault.Error {
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
	f := model.UpstreamFailure(Name, e.StatusCode, upstream.TypeName(body.Error.Type), clean.String(body.Error.Message), upstream.RetryAfter(e.Response, now), e)
	return upstream.WithRequestID(f, e.RequestID)
}
