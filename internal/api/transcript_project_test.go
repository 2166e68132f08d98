package api_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/coordination"
	"belay/internal/workspace/index"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/registerfile"
	"belay/internal/workspace/snapshot"
	"belay/internal/workspace/statusfile"
)

// projectFolder is the project of a transcript, and the entity tag that its server
// sent last.
type projectFolder struct {
	root, tag string
	proposals *proposal.Store
}

// propose makes the proposal of a section: the deliverable's folder, and behind the
// first line the rows.
func (p *projectFolder) propose(t *testing.T, section string) {
	t.Helper()
	folder, rows, _ := strings.Cut(section, "\n")
	d, err := workspace.FindDeliverable(p.root, filepath.Join(p.root, filepath.FromSlash(strings.TrimSpace(folder))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.proposals.Add(t.Context(), d, proposal.Request{By: "DEPENDENCIES", SessionID: "s1", TurnID: "t1", Complete: true, Content: []byte(rows)}); err != nil {
		t.Fatal(err)
	}
}

// put adds a file to the project, which is made with the first one. A name that
// ends with a slash is a folder.
func (p *projectFolder) put(t *testing.T, o *api.Options, name string, data []byte) {
	t.Helper()
	if p.root == "" {
		p.root = filepath.Join(t.TempDir(), "bridge & more")
		clock := func() time.Time { return apitest.Start }
		set := index.NewSet(index.Options{Clock: clock})
		t.Cleanup(set.Close)
		o.Clock = clock
		o.Projects.Index, o.Projects.ViewBytes = set, 64
		locks, made := t.TempDir(), 0
		files := registerfile.New(registerfile.Options{Writer: changeset.Writer{LockDir: locks, Journal: journal.New(t.TempDir(), clock)}, Clock: clock})
		o.Projects.Registers = files
		p.proposals = proposal.New(proposal.Options{Files: files, LockDir: locks, Clock: clock, NewID: func() string {
			made++
			return fmt.Sprintf("proposal-%d", made)
		}})
		o.Projects.Proposals = p.proposals
		o.Projects.Transitions = &statusfile.Writer{Locks: filepath.Join(t.TempDir(), "locks"), Clock: clock}
		p.extend(t, o, clock)
		o.Projects.Hides = func(_, path string) bool { return path == "secret" || strings.HasPrefix(path, "secret/") }
		o.Projects.Recent = func(context.Context) ([]api.RecentProject, error) {
			return []api.RecentProject{{ProjectRoot: p.root, Name: "bridge & more", Sessions: 2, UsedAt: "2026-01-02T03:04:05.678Z", Exists: true}}, nil
		}
	}
	path := filepath.Join(p.root, filepath.FromSlash(name))
	dir := filepath.Dir(path)
	if strings.HasSuffix(name, "/") {
		dir = path
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if dir != path {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, apitest.Start, apitest.Start); err != nil {
			t.Fatal(err)
		}
	}
}

// extend adds snapshots, coordination and an audit log with an entry of the project and one
// of another.
func (p *projectFolder) extend(t *testing.T, o *api.Options, clock func() time.Time) {
	t.Helper()
	audit, err := permit.OpenAudit(filepath.Join(t.TempDir(), "audit.jsonl"), clock)
	if err != nil {
		t.Fatal(err)
	}
	for _, project := range []string{p.root, "/elsewhere"} {
		if err := audit.Append(t.Context(), permit.Entry{Kind: "decision", Project: project, SessionID: "s1", Tool: "bash", Summary: "make", Verdict: "allow", By: "operator"}); err != nil {
			t.Fatal(err)
		}
	}
	o.Projects.Snapshots = &snapshot.Options{LockDir: t.TempDir(), MaxFiles: 100, MaxBytes: 1 << 20, Clock: clock, Record: func(ctx context.Context, r snapshot.Record, _ error) error {
		return audit.Append(ctx, permit.Entry{Kind: "snapshot", Project: r.Project, Summary: r.Path, Verdict: "begins", By: r.By.Name, Note: "manifest " + r.SHA256})
	}}
	o.Projects.Audit = audit
	o.Projects.VerifyAudit = func(ctx context.Context) (api.AuditVerdict, error) {
		n, err := audit.Verify(ctx)
		return api.AuditVerdict{File: "audit.jsonl", Lines: n, Whole: err == nil}, err
	}
	o.Projects.Coordination = &coordination.Writer{Writer: changeset.Writer{LockDir: t.TempDir(), Journal: journal.New(t.TempDir(), clock)}, Record: func(ctx context.Context, c coordination.Change, _ error) error {
		return audit.Append(ctx, permit.Entry{Kind: "coordination", Project: c.Project, Summary: string(c.To), Verdict: "begins", By: c.By})
	}}
}

// show puts the real names into a request: escaped in its first line, the URL.
func (p *projectFolder) show(request string) string {
	first, rest, _ := strings.Cut(request, "\n")
	first = strings.ReplaceAll(first, "{project}", url.QueryEscape(p.root))
	rest = strings.ReplaceAll(rest, "{project}", filepath.ToSlash(p.root))
	return first + "\n" + strings.ReplaceAll(rest, "{tag}", p.tag)
}

// madeTag is an entity tag of a body that names the project.
var madeTag = regexp.MustCompile(`"[0-9a-f]{32}([0-9a-f]{32})?(-gzip)?"`)

// hide takes the names that change with every run out of an answer.
func (p *projectFolder) hide(answer string) string {
	if p.root == "" {
		return answer
	}
	if tag := madeTag.FindString(answer); tag != "" {
		p.tag = tag
		answer = strings.ReplaceAll(answer, ":"+tag, `:"{tag}"`) // in a body, which stays JSON
		answer = strings.ReplaceAll(answer, tag, "{tag}")
	}
	return strings.ReplaceAll(strings.ReplaceAll(answer, `\\`, "/"), filepath.ToSlash(p.root), "{project}")
}
