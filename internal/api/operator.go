package api

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

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
// the link does not use it up. The cookie is signed with the operator token, so
// it outlives a restart and dies with the token; the token itself is not in it.
//
// Cookies do not know ports: another server on the same host name is sent this
// one too. Its name holds the port so that two servers do not overwrite each
// other's.
type Operator struct {
	token string
	name  string
	now   func() time.Time

	mu    sync.Mutex
	links []link
}

// link is a code that was given out, by its digest.
type link struct {
	digest  [sha256.Size]byte
	expires time.Time
}

// NewOperator returns the authority behind token, which must not be empty, for
// the server that listens on bound. A nil now is the wall clock.
func NewOperator(token, bound string, now func() time.Time) *Operator {
	if token == "" {
		panic("api: operator token must not be empty")
	}
	if now == nil {
		now = time.Now
	}
	name := "belay_operator"
	if _, port := splitHost(bound); port != "" {
		name += "_" + port
	}
	return &Operator{token: token, name: name, now: now}
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

// exchange uses up a code and returns the cookie for it.
func (o *Operator) exchange(code string) (*http.Cookie, bool) {
	digest, now := sha256.Sum256([]byte(code)), o.now()
	o.mu.Lock()
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
	o.mu.Unlock()
	if !found {
		return nil, false
	}
	value := fmt.Sprintf("%d.%s", now.Add(cookieLife).Unix(), rand.Text())
	return &http.Cookie{
		Name: o.name, Value: value + "." + o.sign(value), Path: "/",
		MaxAge: int(cookieLife / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}, true
}

func (o *Operator) sign(value string) string {
	mac := hmac.New(sha256.New, []byte(o.token))
	mac.Write([]byte("belay operator cookie\n" + value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// is reports whether token is the operator's. A nil Operator knows none.
func (o *Operator) is(token string) bool { return o != nil && equal(token, o.token) }

// hasCookie reports whether the request carries a valid cookie. The guard has seen
// its Origin; a browser sends one with everything that changes something, so a
// cookie without one is good for reading only.
func (o *Operator) hasCookie(r *http.Request) bool {
	if o == nil || len(r.Header["Cookie"]) == 0 {
		return false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get("Origin") == "" {
		return false
	}
	cookie, err := r.Cookie(o.name)
	if err != nil {
		return false
	}
	cut := strings.LastIndexByte(cookie.Value, '.')
	if cut < 0 || !equal(cookie.Value[cut+1:], o.sign(cookie.Value[:cut])) {
		return false
	}
	seconds, _, _ := strings.Cut(cookie.Value, ".")
	expires, err := strconv.ParseInt(seconds, 10, 64)
	return err == nil && o.now().Before(time.Unix(expires, 0))
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
	if c.r.TLS != nil {
		scheme = "https://"
	}
	url, expires := c.o.Operator.Link(scheme + c.r.Host)
	return linkAnswer{url, expires.UTC().Truncate(time.Millisecond)}, nil
}

func exchangeLink(c *call, b *exchangeBody) (okAnswer, error) {
	if c.o.Operator == nil {
		return okAnswer{}, fault.New(fault.NotFound, "this server has no operator")
	}
	cookie, ok := c.o.Operator.exchange(b.Code)
	if !ok {
		return okAnswer{}, fault.New(fault.Unauthorized, "the link was used already or is older than %v", linkLife).
			WithHint("get a fresh link with belay open")
	}
	cookie.Secure = c.r.TLS != nil
	http.SetCookie(c.w, cookie)
	return okAnswer{true}, nil
}
