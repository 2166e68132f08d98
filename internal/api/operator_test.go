package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"belay/internal/api"
	"belay/internal/api/apitest"
)

// request sends one request and returns the answer's status and cookies.
func request(t *testing.T, base, method, path, body string, head map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range head {
		req.Header.Set(name, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestOneTimeLink(t *testing.T) {
	t.Parallel()
	now := time.Now()
	op := api.NewOperator(api.OperatorOptions{Token: "captain", BoundAddr: "127.0.0.1:23529", Now: func() time.Time { return now }})
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}, Operator: op, Token: "members"}))
	code := func() string {
		link, expires := op.Link(base)
		if !expires.Equal(now.Add(5 * time.Minute)) {
			t.Errorf("the link expires at %v", expires)
		}
		place, code, ok := strings.Cut(link, "#code=")
		if !ok || place != base+"/" || strings.Contains(link, "captain") {
			t.Errorf("the link is %s", link)
		}
		return code
	}
	exchange := func(code string) *http.Response {
		return request(t, base, "POST", "/api/auth/exchange", `{"code":"`+code+`"}`, nil)
	}

	used := code()
	res := exchange(used)
	cookies := res.Cookies()
	if res.StatusCode != http.StatusOK || len(cookies) != 1 {
		t.Fatalf("%s, %d cookies", res.Status, len(cookies))
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Name != "belay_operator_23529" || c.Path != "/" || strings.Contains(c.Value, "captain") {
		t.Errorf("the cookie is %v", c)
	}
	if res := exchange(used); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the second exchange answered %s", res.Status)
	}

	late := code()
	now = now.Add(5*time.Minute + time.Second)
	if res := exchange(late); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("an exchange after five minutes answered %s", res.Status)
	}

	cookie := c.Name + "=" + c.Value
	list := "/api/harness/session/list?projectRoot=/p"
	for _, tc := range []struct {
		name, method, path string
		head               map[string]string
		want               int
	}{
		{"reads", "GET", list, map[string]string{"Cookie": cookie}, 200},
		{"may be the operator", "POST", "/api/auth/link", map[string]string{"Cookie": cookie, "Origin": base}, 200},
		{"but not without an Origin", "POST", "/api/auth/link", map[string]string{"Cookie": cookie}, 401},
		{"nor from elsewhere", "POST", "/api/auth/link", map[string]string{"Cookie": cookie, "Origin": "http://localhost:1"}, 403},
		{"tampered", "GET", list, map[string]string{"Cookie": cookie[:len(cookie)-1] + "1"}, 401},
		{"of another name", "GET", list, map[string]string{"Cookie": "x" + cookie}, 401},
		{"a wrong bearer is not made good", "GET", list, map[string]string{"Cookie": cookie, "Authorization": "Bearer x"}, 401},
	} {
		if res := request(t, base, tc.method, tc.path, "", tc.head); res.StatusCode != tc.want {
			t.Errorf("cookie %s: %s, want %d", tc.name, res.Status, tc.want)
		}
	}
	now = now.Add(31 * 24 * time.Hour)
	if res := request(t, base, "GET", list, "", map[string]string{"Cookie": cookie}); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("after a month the cookie answered %s", res.Status)
	}
}

func TestCookieOutlivesTheServerButNotTheToken(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	first := api.NewOperator(api.OperatorOptions{Token: "captain", StateDir: state})
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}, Operator: first, Token: "m"}))
	link, _ := first.Link(base)
	_, code, _ := strings.Cut(link, "=")
	c := request(t, base, "POST", "/api/auth/exchange", `{"code":"`+code+`"}`, nil).Cookies()[0]
	for token, want := range map[string]int{"captain": 200, "mutineer": 401} {
		next := serve(t, api.New(api.Options{Engine: &apitest.Engine{}, Operator: api.NewOperator(api.OperatorOptions{Token: token, StateDir: state}), Token: "m"}))
		res := request(t, next, "GET", "/api/harness/personas", "", map[string]string{"Cookie": c.Name + "=" + c.Value})
		if res.StatusCode != want {
			t.Errorf("under the token %s: %s", token, res.Status)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}}))
	for _, path := range []string{"/healthz", "/nowhere", "/metrics", "/openapi.json", "/docs"} {
		res := request(t, base, "GET", path, "", nil)
		for name, want := range map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		policy := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
}
