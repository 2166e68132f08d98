package download

import (
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/netguard"
	"belay/internal/quantity"
	"belay/internal/redact"
)

// The codes of what is wrong with an address or with what is there, beside
// [attachment.TooLarge].
const (
	// BadAddress is no http or https address.
	BadAddress attachment.Code = "BAD_ADDRESS"
	// AddressRefused is one that the policy does not open, itself or by where it
	// redirects to.
	AddressRefused attachment.Code = "ADDRESS_REFUSED"
	// TooManyRedirects is a chain that is longer than the policy allows.
	TooManyRedirects attachment.Code = "TOO_MANY_REDIRECTS"
	// TimedOut is a download that took too long.
	TimedOut attachment.Code = "TIMED_OUT"
	// Unreachable is a server that cannot be spoken to.
	Unreachable attachment.Code = "UNREACHABLE"
	// BadStatus is an answer other than 200.
	BadStatus attachment.Code = "BAD_STATUS"
	// BadLength is a body that is shorter than it was said to be.
	BadLength attachment.Code = "BAD_LENGTH"
	// BadEncoding is a body that cannot be unpacked.
	BadEncoding attachment.Code = "BAD_ENCODING"
	// Empty is an answer without a body.
	Empty attachment.Code = "EMPTY"
)

// Error says why there is no file. Its text has no credentials and no query.
type Error struct {
	Code attachment.Code
	// URL is the address, for people.
	URL string
	// Reason is what is wrong, without the address.
	Reason string
	// Status is the server's, of a [BadStatus].
	Status int
	Err    error

	// transient is set where another try may succeed, after is how long the server asks
	// to wait before it.
	transient bool
	after     time.Duration
}

// Error implements error.
func (e *Error) Error() string { return e.URL + ": " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// maxURL caps an address.
const maxURL = 8 << 10

// parse reads an address.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Opaque != "" || len(address) > maxURL || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &Error{Code: BadAddress, URL: Clean(address), Reason: "this is no address that can be fetched; write one such as https://example.com/plan.pdf"}
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// Clean is an address as it may be shown: without user, password, query and
// fragment.
func Clean(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that cannot be read"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	s := fault.Clip(shown.String())
	if u.RawQuery != "" {
		s += "?…"
	}
	return s
}

// failure makes an *[Error] of what went wrong with an address; the end of ctx and
// faults of our own pass. Limited is ctx with the time limit of a try.
func (d *Downloads) failure(ctx, limited context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the address is known
	}
	e := d.classify(err, limited.Err() != nil)
	e.URL = Clean(u.String())
	e.Reason = redact.New(secrets(u)...).String(e.Reason)
	return e
}

func (d *Downloads) classify(err error, late bool) *Error {
	var (
		known     *Error
		violation *netguard.ViolationError
		lookup    *net.DNSError
		damage    flate.CorruptInputError
		timeout   interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &known):
		own := *known
		return &own
	case errors.As(err, &violation) && violation.Rule == netguard.RuleRedirect:
		return &Error{Code: TooManyRedirects, Reason: redirects(d.o.Policy.MaxRedirects), Err: err}
	case errors.As(err, &violation):
		return &Error{Code: AddressRefused, Reason: d.refusal(violation), Err: err}
	case late && errors.Is(err, context.DeadlineExceeded): // which those of a connection are as well
		return &Error{Code: TimedOut, Reason: fmt.Sprintf("it did not come within %s (attachments.download_timeout)", quantity.Duration(d.o.Timeout)), Err: err, transient: true}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Code: BadLength, Reason: "it ends before the length that the server announced", Err: err, transient: true}
	case errors.As(err, &damage):
		return &Error{Code: BadEncoding, Reason: "it cannot be unpacked", Err: err}
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return &Error{Code: Unreachable, Reason: fmt.Sprintf("there is no host %.100q", lookup.Name), Err: err}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Code: TimedOut, Reason: "the server does not answer", Err: err, transient: true}
	}
	return &Error{Code: Unreachable, Reason: fmt.Sprintf("it cannot be fetched: %.300s", err), Err: err, transient: broken(err)}
}

// refusal says what the policy says, and which setting could change it.
func (d *Downloads) refusal(v *netguard.ViolationError) string {
	reason := fmt.Sprintf("the %s %q is refused: %s", v.Rule, v.Value, v.Reason)
	if hosts := d.o.Settings.Hosts; hosts != "" {
		if v.Rule != netguard.RuleScheme && v.Reason != netguard.NeverReached {
			reason += fmt.Sprintf(" (%s)", hosts)
		}
		return reason
	}
	strict := !d.o.Policy.AllowHTTP
	switch v.Rule {
	case netguard.RuleScheme:
		if strict && v.Value == "http" {
			reason += " (attachments.ssrf_strict)"
		}
	case netguard.RuleAddress, netguard.RuleHost:
		switch {
		case v.Reason == netguard.NeverReached:
		case strict:
			reason += " (attachments.ssrf_strict)"
		default:
			reason += "; a host of your own network has to be in attachments.allowed_hosts"
		}
	}
	return reason
}

// redirects says that an address redirects more often than is followed.
func redirects(limit int) string {
	const key = "(attachments.max_redirects)"
	switch limit {
	case 0:
		return "it redirects, and none is followed " + key
	case 1:
		return "it redirects more than once " + key
	}
	return fmt.Sprintf("it redirects more than %d times %s", limit, key)
}

// secrets are the parts of an address that no text of ours repeats.
func secrets(u *url.URL) []string {
	var all []string
	if u.User != nil {
		password, _ := u.User.Password()
		all = append(all, u.User.Username(), password, u.User.String())
	}
	if u.RawQuery != "" {
		all = append(all, u.RawQuery)
	}
	for _, values := range u.Query() {
		all = append(all, values...)
	}
	return all
}
