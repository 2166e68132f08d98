package api_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/turn"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// site is a server with an operator, as browsers see it.
type site struct {
	t     *testing.T
	state string
	now   atomic.Int64
	op    *api.Operator
	base  string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, state: t.TempDir()}
	s.now.Store(time.Now().UnixNano())
	s.start()
	return s
}

// start is another server on the same state folder.
func (s *site) start() {
	s.op = api.NewOperator(api.OperatorOptions{Token: "captain", StateDir: s.state, Now: func() time.Time { return time.Unix(0, s.now.Load()) }})
	engine := &apitest.Engine{}
	if _, err := engine.Create(s.t.Context(), turn.CreateRequest{ProjectRoot: "/project"}); err != nil {
		s.t.Fatal(err)
	}
	s.base = serve(s.t, api.New(api.Options{Engine: engine, Operator: s.op, Token: "members"}))
}

// enter pairs a browser and returns its cookie.
func (s *site) enter(agent string, head ...string) string {
	s.t.Helper()
	link, _ := s.op.Link(s.base)
	_, code, _ := strings.Cut(link, "#code=")
	all := map[string]string{"User-Agent": agent}
	for i := 0; i+1 < len(head); i += 2 {
		all[head[i]] = head[i+1]
	}
	res := request(s.t, s.base, "POST", "/api/auth/exchange", `{"code":"`+code+`"}`, all)
	if res.StatusCode != 200 || len(res.Cookies()) != 1 {
		s.t.Fatalf("exchange: %s, %v", res.Status, res.Cookies())
	}
	return res.Cookies()[0].Name + "=" + res.Cookies()[0].Value
}

func (s *site) as(cookie, method, path string) *http.Response {
	s.t.Helper()
	return request(s.t, s.base, method, path, "", map[string]string{"Cookie": cookie, "Origin": s.base})
}

type listed struct {
	ID, Label                        string
	CreatedAt, LastSeenAt, ExpiresAt time.Time
	Current                          bool
}

func (s *site) devices(cookie string) []listed {
	s.t.Helper()
	res := s.as(cookie, "GET", "/api/auth/devices")
	var list struct{ Devices []listed }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil || res.StatusCode != 200 {
		s.t.Fatalf("%s, %v", res.Status, err)
	}
	return list.Devices
}

// An operator sees which browsers have the authority, and takes it from one of them: at once, for
// a stream that is open as well, and at every server of the state folder.
func TestDevices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	laptop := s.enter(firefox)
	s.now.Add(int64(time.Hour))
	phone := s.enter("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1")
	all := s.devices(laptop)
	if len(all) != 2 || all[0].Label != "Firefox on Linux" && all[1].Label != "Firefox on Linux" || all[0].Current == all[1].Current {
		t.Fatalf("devices: %+v", all)
	}
	own, other := all[0], all[1]
	if !own.Current {
		own, other = other, own
	}
	if own.Label != "Firefox on Linux" || other.Label != "Safari on iPhone" || other.ExpiresAt.Sub(other.CreatedAt) != 30*24*time.Hour || own.LastSeenAt.Sub(own.CreatedAt) != time.Hour {
		t.Errorf("own %+v, other %+v", own, other)
	}
	kept, err := os.ReadFile(filepath.Join(s.state, "devices.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range []string{laptop, phone} {
		if _, secret, _ := strings.Cut(cookie, "."); strings.Contains(string(kept), secret) {
			t.Error("the file holds the secret of a cookie")
		}
	}

	first := s.base
	s.start()
	stream := s.as(phone, "GET", "/api/harness/session/s1/events")
	if stream.StatusCode != 200 {
		t.Fatalf("the stream: %s", stream.Status)
	}
	if res := s.as(laptop, "DELETE", "/api/auth/device/"+other.ID); res.StatusCode != 200 || len(res.Cookies()) != 0 {
		t.Fatalf("remove: %s, %v", res.Status, res.Cookies())
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
		}
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the stream of a removed device goes on")
	}
	for _, base := range []string{first, s.base} {
		if res := request(t, base, "GET", "/api/auth/devices", "", map[string]string{"Cookie": phone}); res.StatusCode != 401 {
			t.Errorf("a removed device gets %s", res.Status)
		}
	}
	if res := s.as(laptop, "DELETE", "/api/auth/device/"+other.ID); res.StatusCode != 404 {
		t.Errorf("removed again: %s", res.Status)
	}
	if res := request(t, s.base, "DELETE", "/api/auth/device/"+own.ID, "", map[string]string{"Authorization": "Bearer members"}); res.StatusCode != 403 {
		t.Errorf("a member removes a device: %s", res.Status)
	}
}

// A browser that logs out has no authority any more and forgets its cookie.
func TestLogout(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cookie := s.enter(firefox)
	res := s.as(cookie, "POST", "/api/auth/logout")
	if c := res.Cookies(); res.StatusCode != 200 || len(c) != 1 || c[0].MaxAge >= 0 || c[0].Value != "" || !strings.HasPrefix(cookie, c[0].Name+"=") {
		t.Errorf("logout: %s, %v", res.Status, c)
	}
	if res := s.as(cookie, "GET", "/api/auth/devices"); res.StatusCode != 401 {
		t.Errorf("after that the cookie gets %s", res.Status)
	}
	if res := s.as(cookie, "POST", "/api/auth/logout"); res.StatusCode != 200 {
		t.Errorf("again: %s", res.Status)
	}
	// A page elsewhere cannot log anybody out.
	cookie = s.enter(firefox)
	for _, origin := range []string{"", "http://evil.example"} {
		_ = request(t, s.base, "POST", "/api/auth/logout", "", map[string]string{"Cookie": cookie, "Origin": origin})
	}
	if len(s.devices(cookie)) != 1 {
		t.Error("it was logged out")
	}
	// A browser that is paired anew is one device, and not two.
	if cookie = s.enter(firefox, "Cookie", cookie, "Origin", s.base); len(s.devices(cookie)) != 1 {
		t.Errorf("devices: %+v", s.devices(cookie))
	}
	// Behind TLS the cookie does not leave it.
	link, _ := s.op.Link(s.base)
	_, code, _ := strings.Cut(link, "#code=")
	host := strings.TrimPrefix(s.base, "http://")
	res = request(t, s.base, "POST", "/api/auth/exchange", `{"code":"`+code+`"}`, map[string]string{"Origin": "https://" + host})
	if c := res.Cookies(); len(c) != 1 || !c[0].Secure || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode {
		t.Errorf("%s, %v", res.Status, c)
	}
}

// However many browsers are paired, the newest ones stay, and the file stays small.
func TestDevicesAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.enter(firefox)
	var last string
	for range 50 {
		s.now.Add(int64(time.Second))
		last = s.enter(strings.Repeat("x", 4000))
	}
	if n := len(s.devices(last)); n != 50 {
		t.Errorf("%d devices", n)
	}
	if res := s.as(first, "GET", "/api/auth/devices"); res.StatusCode != 401 {
		t.Errorf("the oldest gets %s", res.Status)
	}
	s.now.Add(int64(31 * 24 * time.Hour))
	late := s.enter(firefox)
	if n := len(s.devices(late)); n != 1 {
		t.Errorf("%d devices after a month", n)
	}
}

// A state folder that takes nothing lets a browser in until the server ends, and a list that is
// damaged, or of a newer program, lets nobody in and is left alone.
func TestDevicesWithoutAFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	good := s.enter(firefox)
	path := filepath.Join(s.state, "devices.json")
	for _, content := range []string{"{", `{"v":99}`, `{"v":1,"key":"of another token","devices":[]}`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if res := s.as(good, "GET", "/api/auth/devices"); res.StatusCode != 401 {
			t.Errorf("%s: %s", content, res.Status)
		}
		link, _ := s.op.Link(s.base)
		_, code, _ := strings.Cut(link, "#code=")
		res := request(t, s.base, "POST", "/api/auth/exchange", `{"code":"`+code+`"}`, nil)
		another := strings.HasPrefix(content, `{"v":1,`)
		if c := res.Cookies(); len(c) != 1 || (c[0].MaxAge > 0) != another {
			t.Errorf("%s: a browser gets %s, %v", content, res.Status, c)
		} else if res := s.as(c[0].Name+"="+c[0].Value, "POST", "/api/auth/link"); res.StatusCode != 200 {
			t.Errorf("%s: with its cookie it gets %s", content, res.Status)
		}
		if now, err := os.ReadFile(path); err != nil || (string(now) == content) == another {
			t.Errorf("%s became %s, %v", content, now, err)
		}
	}
}
