package cli

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// No answer about a project shows the half of a change: neither of those about one file, which
// the server opens by themselves, nor of those from its index. The reference has them all.
//
// Covers: workspace 6.8
func TestAnswersShowWholeChanges(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	base := serveFor(t, home, t.TempDir())
	token, err := os.ReadFile(filepath.Join(home, "state", "belay", "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	a := reader{t, base, strings.TrimSpace(string(token))}
	// What an answer shows of the change, where that is a part of it alone.
	shows := map[string]string{
		"/api/project/file": "INITIALIZED", "/api/project/search": `"matches":2`, "/api/working-root/tree": "_COORDINATION.md",
		"/api/project/coordination": "DEPENDENCY_TRACKED", "/api/working-root/deliverable/status": `"currentState":"INITIALIZED"`,
		"/api/project/deliverable": `"currentState":"INITIALIZED"`, "/api/working-root/deliverable/dependencies": "DEP-01-02-001",
		"/api/project/deliverables": `"initialized"`, "/api/project/graph": "DEP-01-02-001", "/api/project/lint": surveyRegister,
	}
	// These are about sessions, and open no file of the project.
	elsewhere := []string{"/api/harness/session/list", "/api/harness/sessions"}
	var reference struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal([]byte(a.get("/openapi.json")), &reference); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, path := range slices.Sorted(maps.Keys(reference.Paths)) {
		names := map[string]bool{}
		for _, p := range reference.Paths[path]["get"].Parameters {
			names[p.Name] = p.In == "query"
		}
		if !names["projectRoot"] || slices.Contains(elsewhere, path) {
			continue
		}
		asked++
		project := filepath.Join(home, "project"+strings.ReplaceAll(path, "/", "-"))
		left := leaveHalfDone(t, home, project)
		q := url.Values{"projectRoot": {project}}
		for name, value := range map[string]string{
			"path": surveyStatus, "deliverablePath": filepath.Join(project, filepath.FromSlash(filepath.Dir(surveyStatus))),
			"query": "INITIALIZED", "in": "content", "key": "PKG-01::DEL-01-02", "id": "chg_0000", "batch": "none",
		} {
			if names[name] && (name != "path" || path == "/api/project/file") {
				q.Set(name, value)
			}
		}
		target := strings.ReplaceAll(path, "{id}", "run_0000") + "?" + q.Encode()
		if path == "/api/project/events" {
			_ = a.begin(target).Body.Close() // it goes on
		} else if first, again := a.get(target), a.get(target); !strings.Contains(first, shows[path]) || first != again {
			t.Errorf("GET %s\nwas during a change\n%s\nand after it, with %q,\n%s", path, first, shows[path], again)
		}
		if left() {
			t.Errorf("GET %s left the change half done", path)
		}
	}
	if asked < 25 {
		t.Errorf("the reference has %d questions about a project", asked)
	}
}

// absent are the paths about something that the project does not have. Such a question is
// refused, but only after the change is whole.
var absent = []string{
	"/api/pipeline/batch", "/api/project/change", "/api/project/snapshot", "/api/project/snapshot/compare",
	"/api/workflow/runs/run_0000", "/api/workflow/runs/run_0000/events", "/api/workflow/runs/run_0000/task",
	"/api/workflow/runs/run_0000/values",
}

// moments are those of an answer.
var moments = regexp.MustCompile(`"(scannedAt|checkedAt|time)":"[^"]*"`)

// reader asks a server with the operator's authority.
type reader struct {
	t           *testing.T
	base, token string
}

// get is the body of an answer, without the moment at which it was made.
func (a reader) get(target string) string {
	a.t.Helper()
	res := a.begin(target)
	defer res.Body.Close()
	path, _, _ := strings.Cut(target, "?")
	if res.StatusCode != http.StatusOK && !slices.Contains(absent, path) {
		a.t.Errorf("GET %s: status %d", target, res.StatusCode)
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return moments.ReplaceAllString(string(data), "")
}

func (a reader) begin(target string) *http.Response {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, a.base+target, http.NoBody)
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	return res
}
