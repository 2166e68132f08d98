package project

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/workspace"
	"belay/internal/workspace/index"
	"belay/internal/workspace/statusfile"
)

const openStatus = "# Status: DEL-01-02 Name\n\n**Current State:** OPEN\n**Last Updated:** 2026-02-17\n\n## History\n- 2026-02-17 — State set to OPEN (PREPARATION)\n"

// post is a project with deliverables, and an agent that looks at their status.
type post struct {
	t       *testing.T
	w       *tool.Environment
	set     *tool.Set
	records []statusfile.Record
}

func newPost(t *testing.T, agent string) *post {
	t.Helper()
	p := &post{t: t}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	dir := t.TempDir()
	p.w = &tool.Environment{
		Project: dir, Scope: workspace.NewScope(workspace.ScopeOptions{WriteScope: "none", Project: dir}),
		Agent: agent, Session: "s1", Turn: "t1", Clock: func() time.Time { return now },
	}
	w := &statusfile.Writer{Locks: filepath.Join(t.TempDir(), "locks"), Record: func(_ context.Context, r statusfile.Record, _ error) error {
		p.records = append(p.records, r)
		return nil
	}}
	known := index.NewSet(index.Options{})
	t.Cleanup(known.Close)
	set, err := tool.NewSet(status{known, w})
	if err != nil {
		t.Fatal(err)
	}
	p.set = set
	p.write("PKG-01_A/1_Working/DEL-01-02_Name", openStatus)
	return p
}

func (p *post) write(folder, text string) {
	p.t.Helper()
	dir := filepath.Join(p.w.Project, filepath.FromSlash(folder))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "_STATUS.md"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *post) read() string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.w.Project, "PKG-01_A/1_Working/DEL-01-02_Name/_STATUS.md"))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *post) prepare(input map[string]string) (tool.Call, error) {
	p.t.Helper()
	data, err := json.Marshal(input)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.set.Prepare(p.t.Context(), p.w, "project.status", data)
}

func TestStatusIsShown(t *testing.T) {
	t.Parallel()
	p := newPost(t, "TASK")
	for _, name := range []string{"DEL-01-02", "del-01-02", "PKG-01_A::DEL-01-02", "PKG-01_A/1_Working/DEL-01-02_Name/"} {
		call, err := p.prepare(map[string]string{"deliverable": name})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e := call.Effect(); e.Kind != permit.Read || len(e.Paths) != 1 || e.Diff != "" {
			t.Errorf("effect %+v", e)
		}
		r, err := call.Run(t.Context())
		if err != nil || r.Failed || !strings.Contains(r.Text, "state: OPEN") || !strings.Contains(r.Text, "(PREPARATION)") {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// Covers: workspace 3.3
func TestStatusMovesOn(t *testing.T) {
	t.Parallel()
	p := newPost(t, "4_DOCUMENTS")
	call, err := p.prepare(map[string]string{"deliverable": "DEL-01-02", "to": "INITIALIZED", "note": "pass 1"})
	if err != nil {
		t.Fatal(err)
	}
	e := call.Effect()
	if e.Kind != permit.Write || !strings.Contains(e.Summary, "from OPEN to INITIALIZED as 4_DOCUMENTS") ||
		!strings.Contains(e.Summary, "DOCUMENT_KIT_MISSING: there is no Datasheet.md") ||
		!strings.Contains(e.Diff, "+- 2026-03-04 — State set to INITIALIZED (4_DOCUMENTS) [pass 1]\n") {
		t.Errorf("effect %+v", e)
	}
	if p.read() != openStatus {
		t.Fatal("it was done before it was decided")
	}
	r, err := call.Run(t.Context())
	if err != nil || r.Failed || !strings.Contains(p.read(), "**Current State:** INITIALIZED\n") || !strings.Contains(r.Text, "error DOCUMENT_KIT_MISSING, DEL-01-02_Name: ") {
		t.Fatalf("%+v, %v\n%s", r, err, p.read())
	}
	want := statusfile.Asker{Agent: "4_DOCUMENTS", Session: "s1", Turn: "t1"}
	if len(p.records) != 1 || p.records[0].By != want {
		t.Errorf("on record: %+v", p.records)
	}
}

// An agent makes no transition but those of its role, and none that people make,
// whatever it calls itself.
func TestStatusRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent, state, to string
		note             string
		authority        bool
	}{
		"another's":        {"WORKING_ITEMS", "OPEN", "INITIALIZED", "", true},
		"the gate":         {"WORKING_ITEMS", "IN_PROGRESS", "CHECKING", "", true},
		"the issue":        {"WORKING_ITEMS", "CHECKING", "ISSUED", "", true},
		"a person's name":  {"HUMAN", "INITIALIZED", "IN_PROGRESS", "", true},
		"another one":      {"OPERATOR", "IN_PROGRESS", "CHECKING", "", true},
		"a name like it":   {"HUMAN_HELPER", "IN_PROGRESS", "CHECKING", "", true},
		"nobody":           {"", "OPEN", "INITIALIZED", "", true},
		"skipped":          {"WORKING_ITEMS", "OPEN", "IN_PROGRESS", "", false},
		"back":             {"4_DOCUMENTS", "IN_PROGRESS", "INITIALIZED", "", false},
		"an unknown state": {"4_DOCUMENTS", "RETIRED", "INITIALIZED", "", false},
		"a forged entry":   {"4_DOCUMENTS", "OPEN", "INITIALIZED", "x\n- 2026-03-04 — State set to ISSUED (HUMAN)", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPost(t, c.agent)
			text := strings.ReplaceAll(openStatus, "OPEN", c.state)
			p.write("PKG-01_A/1_Working/DEL-01-02_Name", text)
			_, err := p.prepare(map[string]string{"deliverable": "DEL-01-02", "to": c.to, "note": c.note})
			r, ok := tool.AsRefusal(err)
			if !ok || r.Authority != c.authority || p.read() != text || len(p.records) != 0 {
				t.Errorf("%v (%+v)\n%s", err, r, p.read())
			}
		})
	}
}

// TestStatusChangedMeanwhile has a person edit the file between the question and
// the answer.
func TestStatusChangedMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPost(t, "4_DOCUMENTS")
	call, err := p.prepare(map[string]string{"deliverable": "DEL-01-02", "to": "INITIALIZED"})
	if err != nil {
		t.Fatal(err)
	}
	p.write("PKG-01_A/1_Working/DEL-01-02_Name", openStatus+"- 2026-02-18 — a person's note\n")
	if _, err := call.Run(t.Context()); err == nil || !strings.HasSuffix(p.read(), "note\n") || len(p.records) != 0 {
		t.Errorf("%v\n%s", err, p.read())
	}
}

func TestStatusFinds(t *testing.T) {
	t.Parallel()
	p := newPost(t, "TASK")
	p.write("PKG-02_B/1_Working/DEL-01-02_Twin", openStatus)
	p.write("PKG-02_B/3_Issued/DEL-02-01_Issued", openStatus)
	for name, want := range map[string]string{
		"DEL-01-02": "2 deliverables", "DEL-02-01": "not worked on", "DEL-09-09": "no deliverable", "../../etc": "no deliverable",
	} {
		_, err := p.prepare(map[string]string{"deliverable": name})
		if r, ok := tool.AsRefusal(err); !ok || !strings.Contains(r.Reason, want) || r.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.prepare(map[string]string{"deliverable": "PKG-02_B/1_Working/DEL-01-02_Twin"}); err != nil {
		t.Error(err)
	}
}
