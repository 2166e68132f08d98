package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"belay/internal/api/device"
	"belay/internal/fault"
)

const (
	linkLife   = 5 * time.Minute
	cookieLife = 30 * 24 * time.Hour
	// maxLinks bounds the one-time links that wait at the same time; more
	// push out the oldest.
	maxLinks = 16
)

// Operator is the authority of the person who runs the server. Who has the
// operator token may do everything; a browser gets the same through a one-time
// link whose code is exchanged for a cookie.
//
// The code travels in the link's fragment, which browsers keep to themselves:
// it is in no request line, log or Referer, and a program that only looks at
// the link does not use it up. The cookie is that of a device ([device.Store]): it
// outlives a restart, and dies when the device is removed, or with the token; the token
// itself is not in it.
//
// Cookies do not know ports: another server on the same host name is sent this
// one too. Its name holds the port so that two servers do not overwrite each
// other's.
type Operator struct {
	token   string
	name    string
	now     func() time.Time
	devices *device.Store

	mu    sync.Mutex
	links []link
}

// link is a code that was given out, by its digest.
type link struct {
	digest  [sha256.Size]byte
	expires time.Time
}

// OperatorOptions configure an [Operator].
type OperatorOptions struct {
	// Token is the operator's, and must not be empty.
	Token string
	// BoundAddr is the address that the server listens on.
	BoundAddr string
	// StateDir is the state folder, where devices are kept; "" keeps them in memory.
	StateDir string
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Logger gets failures of the list of devices that no caller learns of; nil drops them.
	Logger *slog.Logger
}

// NewOperator returns the authority behind a token.
func NewOperator(o OperatorOptions) *Operator {
	if o.Token == "" {
		panic("api: operator token must not be empty")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	name := "belay_operator"
	if _, port := splitHost(o.BoundAddr); port != "" {
		name += "_" + port
	}
	return &Operator{token: o.Token, name: name, now: o.Now, devices: device.New(device.Options{
		StateDir: o.StateDir, Key: o.Token, Now: o.Now,
		Failed: func(err error) { o.Logger.Warn("the list of devices could not be written", "error", err) },
	})}
}

// Link returns a new one-time link to the page at base, such as
// "http://127.0.0.1:23529", and when it expires.
func (o *Operator) Link(base string) (string, time.Time) {
	code := rand.Text()
	expires := o.now().Add(linkLife)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.links) == maxLinks {
		o.links = append(o.links[:0], o.links[1:]...)
	}
	o.links = append(o.links, link{sha256.Sum256([]byte(code)), expires})
	return strings.TrimSuffix(base, "/") + "/#code=" + code, expires
}

// exchange uses up a code and reports whether it was good.
func (o *Operator) exchange(code string) bool {
	digest, now := sha256.Sum256([]byte(code)), o.now()
	o.mu.Lock()
	defer o.mu.Unlock()
	found := false
	kept := o.links[:0]
	for _, l := range o.links {
		switch {
		case l.digest == digest:
			found = now.Before(l.expires)
		case now.Before(l.expires):
			kept = append(kept, l)
		}
	}
	o.links = kept
	return found
}

// cookie is that of a device. One that is kept in no file has no age: the browser forgets it
// about as soon as the server does.
func (o *Operator) cookie(r *http.Request, d device.Device, secret string) *http.Cookie {
	c := &http.Cookie{
		Name: o.name, Value: d.ID + "." + secret, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted(r),
	}
	if d.Kept {
		c.MaxAge = int(cookieLife / time.Second)
	}
	return c
}

// encrypted reports whether a browser talks TLS, to this server or to one before it. The guard
// has seen the Origin.
func encrypted(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://")
}

// is reports whether token is the operator's. A nil Operator knows none.
func (o *Operator) is(token string) bool { return o != nil && equal(token, o.token) }

// hasCookie reports whether the request carries the cookie of a device.
func (o *Operator) hasCookie(r *http.Request) bool {
	_, ok := o.device(r)
	return ok
}

// device is the one whose cookie a request carries. The guard has seen
// its Origin; a browser sends one with everything that changes something, so a
// cookie without one is good for reading only.
func (o *Operator) device(r *http.Request) (device.Device, bool) {
	if o == nil || len(r.Header["Cookie"]) == 0 {
		return device.Device{}, false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get("Origin") == "" {
		return device.Device{}, false
	}
	cookie, err := r.Cookie(o.name)
	if err != nil {
		return device.Device{}, false
	}
	id, secret, _ := strings.Cut(cookie.Value, ".")
	return o.devices.Find(r.Context(), id, secret)
}

// whileAuthorized is the context of a stream, which ends when its device is removed.
func (o *Operator) whileAuthorized(r *http.Request) (ctx context.Context, leave func()) {
	d, ok := o.device(r)
	if !ok {
		return r.Context(), func() {}
	}
	ctx, end := context.WithCancel(r.Context())
	forget := o.devices.Hold(d.ID, end)
	return ctx, func() { forget(); end() }
}

// linkAnswer is the answer of POST /api/auth/link.
type linkAnswer struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expiresAt"`
}

type exchangeBody struct {
	Code string `json:"code" doc:"the code in the fragment of a one-time link"`
}

type okAnswer struct {
	OK bool `json:"ok"`
}

func makeLink(c *call) (linkAnswer, error) {
	scheme := "http://"
	if encrypted(c.r) {
		scheme = "https://"
	}
	url, expires := c.o.Operator.Link(scheme + c.r.Host)
	return linkAnswer{url, expires.UTC().Truncate(time.Millisecond)}, nil
}

func exchangeLink(c *call, b *exchangeBody) (okAnswer, error) {
	o := c.o.Operator
	if o == nil {
		return okAnswer{}, notServed("has no operator")
	}
	if !o.exchange(b.Code) {
		return okAnswer{}, fault.New(fault.Unauthorized, "the link was used already or is older than %d minutes", int(linkLife.Minutes())).
			WithHint("get a fresh link with belay open")
	}
	if old, ok := o.device(c.r); ok { // the browser has one cookie, and forgets this one
		if _, err := o.devices.Remove(c.ctx(), old.ID); err != nil {
			return okAnswer{}, deviceFailure(err)
		}
	}
	d, secret := o.devices.Add(c.ctx(), device.Label(c.r.UserAgent()), cookieLife)
	http.SetCookie(c.w, o.cookie(c.r, d, secret))
	return okAnswer{true}, nil
}
