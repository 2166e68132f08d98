package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// The operator lists the browsers that have the authority, and takes it from one: its next
// request is refused.
func TestDevicesCommand(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if out, err := p.command("devices").CombinedOutput(); err == nil || !strings.Contains(string(out), "start one with belay serve") {
		t.Errorf("without a server: %v\n%s", err, out)
	}
	s := p.serve()
	devices := func() (ids []string) {
		t.Helper()
		var list struct{ Devices []struct{ ID, Label string } }
		must(t, json.Unmarshal([]byte(p.run("devices", "--json")), &list))
		for _, d := range list.Devices {
			ids = append(ids, d.ID)
		}
		return ids
	}
	if ids := devices(); len(ids) != 0 {
		t.Errorf("at first there are %v", ids)
	}
	_, code, _ := strings.Cut(strings.TrimSpace(p.run("open")), "#code=")
	res, err := http.Post(s.url+"/api/auth/exchange", "application/json", strings.NewReader(`{"code":"`+code+`"}`))
	must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK || len(res.Cookies()) != 1 {
		t.Fatalf("the link gives %s", res.Status)
	}
	asks := func() int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/auth/devices", nil)
		must(t, err)
		r.AddCookie(res.Cookies()[0])
		answer, err := http.DefaultClient.Do(r)
		must(t, err)
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	ids := devices()
	if len(ids) != 1 || asks() != http.StatusOK || !strings.Contains(p.run("devices"), ids[0]) {
		t.Fatalf("then there are %v", ids)
	}
	if out := p.run("devices", "remove", ids[0], "--json"); !strings.Contains(out, `"`+ids[0]+`"`) {
		t.Errorf("removed are %s", out)
	}
	if left := devices(); len(left) != 0 || asks() == http.StatusOK {
		t.Errorf("afterwards there are %v", left)
	}
	if out, err := p.command("devices", "rm", ids[0]).CombinedOutput(); err == nil || !strings.Contains(string(out), "there is no device "+ids[0]) {
		t.Errorf("a second time: %v\n%s", err, out)
	}
}
