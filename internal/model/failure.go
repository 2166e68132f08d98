package model

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// Category refines SDK_FAILURE: it is details.category on the wire (compatible
// contract, section 6).
type Category string

// The categories. The last four are belay's own.
const (
	MissingAPIKey          Category = "MISSING_API_KEY"
	InvalidAPIKey          Category = "INVALID_API_KEY"
	RateLimited            Category = "RATE_LIMITED"
	APIResponseError       Category = "API_RESPONSE_ERROR"
	NetworkError           Category = "NETWORK_ERROR"
	RequestTimeout         Category = "REQUEST_TIMEOUT"
	InvalidBaseURL         Category = "INVALID_BASE_URL"
	NetworkPolicyViolation Category = "NETWORK_POLICY_VIOLATION"
	// StreamTruncated is an answer that ended without its end marker.
	StreamTruncated Category = "STREAM_TRUNCATED"
	// StreamInvalid is an answer that is not what the protocol says.
	StreamInvalid Category = "STREAM_INVALID"
	// ResponseTooLarge is an answer over the cap on what is read.
	ResponseTooLarge Category = "RESPONSE_TOO_LARGE"
	// RequestTooLarge is a request over the provider's cap, not sent.
	RequestTooLarge Category = "REQUEST_TOO_LARGE"
)

// TooLongError marks the failure of a request that the service finds over the
// model's context. A provider whose service says so in a code puts it in the chain
// of its *fault.Error.
type TooLongError struct{ Err error }

// Error implements error.
func (e *TooLongError) Error() string { return "the request is over the model's context" }

// Unwrap returns the cause.
func (e *TooLongError) Unwrap() error { return e.Err }

// tooLong is how services that have no code for it say it.
var tooLong = lazyregexp.New(`(?i)maximum context length|exceed\w* .{0,40}context|context .{0,40}exceed|context length is only|` +
	`greater than the context|exceeded model token limit|exceeds the maximum number of tokens|maximum prompt length|(prompt|input) is too long|reduce the length of the messages`)

// SaysTooLong reports whether the words of a service say that a request is over the model's
// context.
func SaysTooLong(message string) bool { return tooLong.MatchString(message) }

// maxMessage caps what of an upstream message reaches the wire.
const maxMessage = 600

// Failure returns an SDK_FAILURE of a provider. The message must already be
// redacted; it is cut to one readable line.
func Failure(provider string, status int, category Category, message string) *fault.Error {
	return fault.New(fault.SDKFailure, "%s", OneLine(message)).WithStatus(status).
		With("provider", provider).With("category", string(category))
}

// UpstreamFailure maps an error that the service answered, by its HTTP status
// or, where an error arrived inside a stream, by its type. Failures that may
// pass carry a [TransientError].
func UpstreamFailure(provider string, status int, upstreamType, message string, after time.Duration, cause error) *fault.Error {
	if status < 400 {
		status = statusOf(upstreamType)
	}
	message = cmp.Or(message, "the provider answered "+statusText(status, upstreamType))
	e := Failure(provider, status, categoryOf(status), message)
	if upstreamType != "" {
		e = e.With("upstreamType", upstreamType)
	}
	if status == 408 || status == 429 || status >= 500 {
		return e.Because(&TransientError{After: after, Err: cause})
	}
	return e.Because(cause)
}

func categoryOf(status int) Category {
	switch status {
	case 401, 403:
		return InvalidAPIKey
	case 429:
		return RateLimited
	default:
		return APIResponseError
	}
}

// statusOf gives an in-stream error the status that the service would have
// answered before the stream began.
func statusOf(upstreamType string) int {
	switch upstreamType {
	case "invalid_request_error":
		return 400
	case "authentication_error":
		return 401
	case "billing_error":
		return 402
	case "permission_error":
		return 403
	case "not_found_error":
		return 404
	case "request_too_large":
		return 413
	case "rate_limit_error":
		return 429
	case "api_error":
		return 500
	case "timeout_error":
		return 504
	case "overloaded_error":
		return 529
	default:
		return 502
	}
}

func statusText(status int, upstreamType string) string {
	switch {
	case status == 401 || status == 403:
		return "that the API key is not accepted"
	case status == 429:
		return "that there were too many requests"
	case status == 529:
		return "that it is overloaded"
	case upstreamType != "":
		return "with an error: " + upstreamType
	default:
		return "with an error"
	}
}

// OneLine makes s fit for a message: no control characters, bounded length.
func OneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
