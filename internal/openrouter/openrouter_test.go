package openrouter_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/fault"
	"belay/internal/openrouter"
	"belay/internal/openrouter/openroutertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// browser is a person's browser without memory or kept connections.
func browser(t *testing.T) *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// ask sends a request and returns status and body.
func ask(t *testing.T, b *http.Client, method, address, host string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	res, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body), res.Header
}

// callbackOf is the callback that a login page leads back to.
func callbackOf(t *testing.T, page string) *url.URL {
	t.Helper()
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(u.Query().Get("callback_url"))
	if err != nil || back.Scheme != "http" || back.Hostname() != "127.0.0.1" || len(back.Path) != 44 {
		t.Fatalf("the callback is %q, %v", u.Query().Get("callback_url"), err)
	}
	return back
}

// Requests that are no callback are refused and change nothing: the right one still counts.
func TestLogin(t *testing.T) {
	t.Parallel()
	service := openroutertest.New(t)
	pages := map[string]bool{}
	for range 2 { // each login has a verifier and an address of its own
		key, err := openrouter.Login(t.Context(), openrouter.Options{Address: service.URL}, func(page string) error {
			if pages[page] {
				t.Error("two logins have the same page")
			}
			pages[page] = true
			b, back := browser(t), callbackOf(t, page)
			for _, tt := range []struct {
				method, path, query, host string
				want                      int
			}{
				{"GET", "/", "code=abc", "", 404},
				{"GET", back.Path + "x", "code=abc", "", 404},
				{"GET", back.Path[:20], "code=abc", "", 404},
				{"GET", "/favicon.ico", "", "", 404},
				{"POST", back.Path, "code=abc", "", 405},
				{"HEAD", back.Path, "code=abc", "", 405},
				{"OPTIONS", back.Path, "code=abc", "", 405},
				{"GET", back.Path, "", "", 400},
				{"GET", back.Path, "error=access_denied", "", 400},
				{"GET", back.Path, "code=", "", 400},
				{"GET", back.Path, "code=a&code=b", "", 400},
				{"GET", back.Path, "code=a%20b", "", 400},
				{"GET", back.Path, "code=%zz", "", 400},
				{"GET", back.Path, "code=" + strings.Repeat("a", 513), "", 400},
				{"GET", back.Path, "code=abc", "evil.example", 403},
				{"GET", back.Path, "code=abc", "evil.example:" + back.Port(), 403},
				{"GET", back.Path, "code=" + strings.Repeat("a", 64<<10), "", 431},
			} {
				status, _, head := ask(t, b, tt.method, "http://"+back.Host+tt.path+"?"+tt.query, tt.host)
				if status != tt.want {
					t.Errorf("%s %s?%.40s for %q: %d, want %d", tt.method, tt.path, tt.query, tt.host, status, tt.want)
				}
				for name := range head {
					if strings.HasPrefix(name, "Access-Control-") {
						t.Errorf("%s: %s", tt.method, name)
					}
				}
			}
			status, body, head := ask(t, b, "GET", page, "")
			if status != 200 || !strings.Contains(body, "go back to the terminal") || head.Get("Referrer-Policy") != "no-referrer" || head.Get("Cache-Control") != "no-store" {
				t.Errorf("%d %q %v", status, body, head)
			}
			return nil
		})
		if err != nil || key != openroutertest.Key {
			t.Errorf("the key is %q, %v", key, err)
		}
	}
}

// Of several callbacks one counts, and the others are refused.
func TestSecondCallback(t *testing.T) {
	t.Parallel()
	service := openroutertest.New(t)
	statuses := make(chan int, 8)
	key, err := openrouter.Login(t.Context(), openrouter.Options{Address: service.URL}, func(page string) error {
		back := callbackOf(t, page)
		var all []net.Conn
		for range cap(statuses) { // all connections are there before the first request
			conn, err := net.Dial("tcp", back.Host)
			if err != nil {
				return err
			}
			all = append(all, conn)
		}
		code := make(chan string, 1)
		b := browser(t)
		b.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
			code <- req.URL.Query().Get("code")
			return http.ErrUseLastResponse
		}
		ask(t, b, "GET", page, "")
		request := "GET " + back.Path + "?code=" + <-code + " HTTP/1.1\r\nHost: " + back.Host + "\r\n\r\n"
		for _, conn := range all {
			go func() {
				defer conn.Close()
				answer := make([]byte, 12)
				if _, err := io.WriteString(conn, request); err != nil {
					statuses <- 0
				} else if _, err := io.ReadFull(conn, answer); err != nil {
					statuses <- 0
				} else if string(answer[9:]) == "200" {
					statuses <- 200
				} else {
					statuses <- 409
				}
			}()
		}
		return nil
	})
	taken := 0
	for range cap(statuses) {
		if <-statuses == 200 {
			taken++
		}
	}
	if err != nil || key != openroutertest.Key || taken != 1 {
		t.Errorf("%d callbacks were taken, the key is %q, %v", taken, key, err)
	}
}

// loginError plays a login whose exchange fails. No secret is in the error.
func loginError(t *testing.T, service *openroutertest.Service, o openrouter.Options) *fault.Error {
	t.Helper()
	o.Address = service.URL
	key, err := openrouter.Login(t.Context(), o, func(page string) error {
		ask(t, browser(t), "GET", page, "")
		return nil
	})
	f := (*fault.Error)(nil)
	if !errors.As(err, &f) || f.Hint == "" || key != "" {
		t.Fatalf("key %q, error %v", key, err)
	}
	for _, secret := range append(service.Secrets(), openroutertest.Key) {
		if len(secret) > 0 && strings.Contains(fmt.Sprintf("%v %+v %v", f, f.Details, f.Cause)+f.Hint, secret) {
			t.Errorf("the error tells %q: %v", secret, f)
		}
	}
	return f
}

func TestExchangeFails(t *testing.T) {
	t.Parallel()
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"400":     {answers(400, `{"error":{"code":400}}`), "does not accept the code"},
		"403":     {answers(403, `{"error":"`+openroutertest.Key+`"}`), "does not accept the code"},
		"429":     {answers(429, ""), "no more logins"},
		"500":     {answers(500, "<html>"), "fault of its own"},
		"garbage": {answers(200, "<html>"+openroutertest.Key), "no key"},
		"no key":  {answers(200, `{"key":""}`), "no key"},
		"quotes":  {answers(200, `{"key":"sk-or-v1-'; rm -rf /; echo '"}`), "no key"},
		"huge":    {answers(200, `{"key":"`+openroutertest.Key+`","x":"`+strings.Repeat("x", 64<<10)+`"}`), "no key"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, `{"key"`)
		}, "could not be reached"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "another address"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "could not be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := openroutertest.New(t)
			service.Exchange = tt.answer
			if f := loginError(t, service, openrouter.Options{}); !strings.Contains(f.Message, tt.want) {
				t.Errorf("%q is not %q", f.Message, tt.want)
			}
		})
	}
}

// The service gives a key only to the process that began the login.
func TestAnotherVerifier(t *testing.T) {
	t.Parallel()
	service := openroutertest.New(t)
	stolen := make(chan string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := openrouter.Login(ctx, openrouter.Options{Address: service.URL}, func(page string) error {
		b := browser(t)
		b.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
			stolen <- req.URL.Query().Get("code")
			return http.ErrUseLastResponse
		}
		ask(t, b, "GET", page, "")
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o := openrouter.Options{Address: service.URL}
	_, err = openrouter.Login(t.Context(), o, func(page string) error {
		back := callbackOf(t, page)
		back.RawQuery = "code=" + <-stolen
		ask(t, browser(t), "GET", back.String(), "")
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "does not accept the code") {
		t.Errorf("the code of another login was taken: %v", err)
	}
}

// A login ends in time, with its context, and where the address cannot be shown. Nothing
// listens then, and a client that hangs does not keep it.
func TestLoginEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	gone := errors.New("the terminal is gone")
	for name, tt := range map[string]struct {
		o    openrouter.Options
		show error
		stop func()
		want error
	}{
		"no callback": {openrouter.Options{Wait: time.Millisecond}, nil, func() {}, openrouter.ErrNoCallback},
		"Ctrl-C":      {openrouter.Options{}, nil, cancel, context.Canceled},
		"not shown":   {openrouter.Options{}, gone, func() {}, gone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := t.Context()
			if name == "Ctrl-C" {
				in = ctx
			}
			var host string
			_, err := openrouter.Login(in, tt.o, func(page string) error {
				host = callbackOf(t, page).Host
				conn, err := net.Dial("tcp", host)
				if err != nil {
					t.Error(err)
				} else {
					t.Cleanup(func() { _ = conn.Close() }) // it sends nothing
				}
				tt.stop()
				return tt.show
			})
			if !errors.Is(err, tt.want) {
				t.Errorf("the error is %v, want %v", err, tt.want)
			}
			if conn, err := net.Dial("tcp", host); err == nil {
				_ = conn.Close()
				t.Error("the listener is still there")
			}
		})
	}
}

// The service is a constant; a proxy of the network leads to it.
func TestThroughAProxy(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := openrouter.Options{Proxy: through}
	if o.BaseURL() != "https://openrouter.ai/api/v1" || o.Host() != "openrouter.ai" {
		t.Errorf("%s, %s", o.BaseURL(), o.Host())
	}
	_, err = openrouter.Login(t.Context(), o, func(page string) error {
		if !strings.HasPrefix(page, "https://openrouter.ai/auth?callback_url=http%3A%2F%2F127.0.0.1%3A") || !strings.HasSuffix(page, "&code_challenge_method=S256") {
			t.Errorf("the page is %s", page)
		}
		back := callbackOf(t, page)
		back.RawQuery = "code=abc"
		ask(t, browser(t), "GET", back.String(), "")
		return nil
	})
	if f := fault.From(err); !strings.Contains(f.Message, "could not be reached") || !strings.Contains(f.Hint, "network.proxy") {
		t.Errorf("the error is %v", err)
	}
	if got := <-asked; got != "CONNECT openrouter.ai:443" {
		t.Errorf("the proxy was asked for %s", got)
	}
}
