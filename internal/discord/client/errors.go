package client

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/snowflake/v2"
)

// Kind says what a failed call means.
type Kind int

// The kinds.
const (
	// Temporary failures pass: the network, a server that is overloaded. Whether the
	// call was carried out is not known.
	Temporary Kind = iota
	// Refused: Discord does not take this body.
	Refused
	// TooLarge: the files are larger than this channel takes.
	TooLarge
	// Gone: the message, or the interaction, does not exist any more.
	Gone
	// Lost: the channel does not exist, or the bot may not write there.
	Lost
	// Revoked: the token is not valid.
	Revoked
)

// Error is a call that Discord did not carry out. Its text has no token.
type Error struct {
	Kind Kind
	// Reason is Discord's own text, shortened, or why there was no answer.
	Reason string
	// Call is the method and the route.
	Call string
	err  error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Call == "" {
		return "discord: " + e.Reason
	}
	return "discord: " + e.Call + ": " + e.Reason
}

// Unwrap gives the cause, which must not be shown: it may hold addresses with
// tokens of interactions.
func (e *Error) Unwrap() error { return e.err }

// KindOf is the kind of an error; everything that is no [*Error] is temporary.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Temporary
}

// Passes reports whether the same call may be carried out later: the failure passes, or somebody
// gives the bot a new token.
func Passes(err error) bool {
	kind := KindOf(err)
	return err != nil && (kind == Temporary || kind == Revoked)
}

// ReasonOf is an error's text for people.
func ReasonOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return "the connection failed"
}

var errSlow = errors.New("no answer in time")

// Deleted reports whether an error says that a channel does not exist any more.
func Deleted(err error) bool {
	var r *rest.Error
	return errors.As(err, &r) && r.Code == rest.JSONErrorCodeUnknownChannel
}

// maxReason is how much of Discord's text an error keeps, in bytes.
const maxReason = 300

// classify makes an [*Error] of what the library returned.
func classify(e *rest.CompiledEndpoint, err error) error {
	if err == nil {
		return nil
	}
	call := e.Endpoint.Method + " " + e.Endpoint.Route
	var r *rest.Error
	if !errors.As(err, &r) || r.Response == nil {
		return &Error{Kind: Temporary, Call: call, Reason: "no answer from Discord", err: err}
	}
	reason := cmp.Or(r.Message, http.StatusText(r.Response.StatusCode))
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	if r.Code != 0 {
		reason = fmt.Sprintf("%s (%d)", reason, r.Code)
	}
	return &Error{Kind: kind(r), Call: call, Reason: reason, err: err}
}

func kind(r *rest.Error) Kind {
	switch r.Code {
	case rest.JSONErrorCodeRequestEntityTooLarge, rest.JSONErrorCodeFileUploadedExceedsMaximumSize:
		return TooLarge
	case rest.JSONErrorCodeUnknownMessage, rest.JSONErrorCodeUnknownInteraction, rest.JSONErrorCodeUnknownWebhook,
		rest.JSONErrorCodeInteractionAlreadyAcknowledged:
		return Gone
	}
	switch status := r.Response.StatusCode; {
	case status == http.StatusUnauthorized:
		return Revoked
	case status == http.StatusForbidden || status == http.StatusNotFound:
		return Lost
	case status == http.StatusRequestEntityTooLarge:
		return TooLarge
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return Temporary
	}
	return Refused
}

// appOf reads the application's id out of a token: its first part, in base64.
func appOf(token string) (snowflake.ID, error) {
	first, _, _ := strings.Cut(token, ".")
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(first, "="))
	if err == nil {
		if id, err := snowflake.Parse(string(data)); err == nil && id != 0 {
			return id, nil
		}
	}
	return 0, &Error{Kind: Revoked, Reason: "the token is none of Discord's: it begins with the application's id in base64"}
}

func permissionsText(p discord.Permissions) string { return strconv.FormatInt(int64(p), 10) }

// quoteShort quotes the first 40 bytes of a text.
func quoteShort(s string) string { return strconv.Quote(s[:min(len(s), 40)]) }
