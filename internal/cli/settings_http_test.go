package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
)

// turns is a server that takes turns for a test. One whose message is "hold" waits after
// its first word.
type turns struct {
	t       *testing.T
	url     string
	session string
}

func serveTurns(t *testing.T, settings ...string) turns {
	t.Helper()
	home, project := t.TempDir(), t.TempDir()
	script := filepath.Join(home, "script.yaml")
	if err := os.WriteFile(script, []byte("turns: [{when: hold, steps: [{say: Waiting}, {wait: 10m}]}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := turns{t: t, url: serveFor(t, home, project, append(settings, "BELAY_SCRIPTED_SCRIPT="+script, "BELAY_SERVER_SHUTDOWN_GRACE=10ms")...)}
	var created struct{ Session struct{ SessionID string } }
	res := s.post("session/create", "", map[string]any{"projectRoot": project})
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&created); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("create: %s, %v", res.Status, err)
	}
	s.session = created.Session.SessionID
	return s
}

func (s turns) post(path, key string, body any) *http.Response {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/api/harness/"+path, bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

func (s turns) get(path string) string {
	s.t.Helper()
	res, err := http.Get(s.url + "/api/harness/" + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s, %v", path, res.Status, err)
	}
	return string(data)
}

// A budget that does not pay for the first call is a refusal, not a stream: the service
// is not called, and the session is as it was.
func TestBudgetIsRefusedOverHTTP(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the service was called") }))
	t.Cleanup(service.Close)
	s := serveTurns(t, "BELAY_PROVIDER=anthropic", "ANTHROPIC_API_KEY=sk-ant-not-a-real-key-0123", "BELAY_ANTHROPIC_BASE_URL="+service.URL)
	before := s.get("session/" + s.session)
	res := s.post("turn", "key", map[string]any{"sessionId": s.session, "message": "hello", "opts": map[string]any{"maxCostUsd": 0.000001}})
	defer res.Body.Close()
	var body fault.Body
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil || res.StatusCode != http.StatusBadRequest || body.Error.Type != fault.BudgetExceeded {
		t.Errorf("answered %s, %+v, %v", res.Status, body, err)
	}
	if after := s.get("session/" + s.session); after != before {
		t.Errorf("the session was\n%s\nand is\n%s", before, after)
	}
	if transcript := s.get("session/" + s.session + "/transcript"); strings.Contains(transcript, "hello") {
		t.Errorf("the transcript has %s", transcript)
	}
}
