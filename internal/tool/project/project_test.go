package project

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/attachment"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/index"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/registerfile"
	"belay/internal/workspace/scaffold"
	"belay/internal/workspace/snapshot"
)

const bridge = `# Footbridge — decomposition

### PKG-01 — Deck & rail

| DeliverableID | Name | Type |
|---|---|---|
| DEL-01-01 | Levels | TABLE |
| DEL-01-02 | Rail | DRAWING |
`

// noon is when everything in these tests happens.
func noon() time.Time { return time.Date(2026, 8, 24, 12, 0, 0, 0, time.UTC) }

// memory is a store of contents.
type memory map[string][]byte

func (m memory) Put(_ context.Context, r io.Reader, _ int64) (string, int64, error) {
	data, err := io.ReadAll(r)
	sum := sha256.Sum256(data)
	m[hex.EncodeToString(sum[:])] = data
	return hex.EncodeToString(sum[:]), int64(len(data)), err
}

func (m memory) Keep(_ context.Context, sum string, data []byte) error {
	m[sum] = data
	return nil
}

type content struct {
	data []byte
	sum  string
}

func (c content) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.data)), nil }
func (c content) Size() int64                  { return int64(len(c.data)) }
func (c content) SHA256() string               { return c.sum }

func (m memory) Content(sum string) (attachment.Content, error) {
	data, ok := m[sum]
	if !ok {
		return nil, errors.New("no such content")
	}
	return content{data, sum}, nil
}

// world is a project with an agent of a write scope in it.
type world struct {
	t        *testing.T
	w        *tool.Environment
	set      *tool.Set
	blobs    memory
	intended []string

	proposals *proposal.Store
	made      int
}

func newWorld(t *testing.T, scope string) *world {
	t.Helper()
	x := &world{t: t, blobs: memory{}}
	dir, scratch := t.TempDir(), t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	scratchRoot, err := os.OpenRoot(scratch)
	must(t, err)
	t.Cleanup(func() { must(t, errors.Join(root.Close(), scratchRoot.Close())) })
	x.w = &tool.Environment{
		Agent: "DEPENDENCIES", Session: "s1", Turn: "t1",
		Project: dir, Root: root, Scratch: scratch, ScratchRoot: scratchRoot,
		Scope: workspace.NewScope(workspace.ScopeOptions{WriteScope: scope, Project: dir}), Blobs: x.blobs, Seen: &tool.Seen{},
		Ledger: &tool.Ledger{Before: func(_ context.Context, changes ...session.Change) error {
			for _, c := range changes {
				x.intended = append(x.intended, c.Path)
			}
			return nil
		}},
		Gate: tool.Open{}, Limits: tool.Limits{OutputBytes: 64 << 10, KeepBytes: 1 << 20, Matches: 500}, Clock: noon,
	}
	locks := t.TempDir()
	known := index.NewSet(index.Options{MaxWatches: 1000})
	t.Cleanup(known.Close)
	registers := registerfile.New(registerfile.Options{Writer: changeset.Writer{LockDir: locks, Journal: journal.New(t.TempDir(), noon)}, Clock: noon})
	x.proposals = proposal.New(proposal.Options{Files: registers, LockDir: locks, Clock: noon, MaxOpen: 3, MaxSettled: 3, NewID: func() string {
		x.made++
		return fmt.Sprintf("proposal-%d", x.made)
	}})
	x.set, err = tool.NewSet(New(Options{
		Index:     known,
		Registers: RegisterOptions{registers, x.proposals},
		Scaffold:  scaffold.Options{LockDir: locks, MaxBytes: 1 << 20, Clock: noon},
		Snapshot:  snapshot.Options{LockDir: locks, MaxFiles: 100, MaxBytes: 1 << 20, Clock: noon},
	})...)
	must(t, err)
	return x
}

// undo takes changes back.
func (x *world) undo(changes []session.Change) {
	x.t.Helper()
	store := journal.New(filepath.Join(x.t.TempDir(), "journal"), noon)
	j, err := store.Open(context.Background(), x.w.Project, x.w.Root)
	must(x.t, err)
	tx, conflicts, err := files.Revert(context.Background(), files.Undo{
		Journal: j, Owner: journal.Owner{What: "undo"}, Root: x.w.Root, Blobs: x.blobs, Changes: changes,
	})
	if err != nil || len(conflicts) > 0 {
		x.t.Fatal(conflicts, err)
	}
	tx.Done()
	must(x.t, j.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (x *world) put(name, text string) {
	x.t.Helper()
	path := filepath.Join(x.w.Project, filepath.FromSlash(name))
	must(x.t, os.MkdirAll(filepath.Dir(path), 0o777))
	must(x.t, os.WriteFile(path, []byte(text), 0o666))
}

func (x *world) has(name string) bool {
	_, err := os.Lstat(filepath.Join(x.w.Project, filepath.FromSlash(name)))
	return err == nil
}

func (x *world) prepare(name string, input map[string]any) (tool.Call, error) {
	x.t.Helper()
	raw, err := json.Marshal(input)
	must(x.t, err)
	return x.set.Prepare(context.Background(), x.w, name, raw)
}

func (x *world) run(name string, input map[string]any) tool.Result {
	x.t.Helper()
	call, err := x.prepare(name, input)
	must(x.t, err)
	res, err := call.Run(context.Background())
	must(x.t, err)
	return res
}

// isRefused checks that err is a refusal that says words.
func isRefused(t *testing.T, err error, words string) {
	t.Helper()
	r, ok := tool.AsRefusal(err)
	if !ok || !strings.Contains(r.Error(), words) {
		t.Errorf("the error is %v, want a refusal with %q", err, words)
	}
}

// Covers: turn-api REQ-04, workspace 9.5
func TestScaffold(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "workspace-scaffold-only (within the execution root)")
	x.put("_Decomposition/bridge.md", bridge)
	input := map[string]any{"decomposition": "_Decomposition/bridge.md"}
	call, err := x.prepare("project.scaffold", input)
	must(t, err)
	if x.has("INIT.md") {
		t.Fatal("a call that was only prepared made something")
	}
	e := call.Effect()
	if e.Kind != permit.Write || e.Summary != "make 23 folders and 14 files of _Decomposition/bridge.md" || len(e.Paths) != 14 ||
		!strings.Contains(e.Diff, "+ PKG-01_Deck & rail/1_Working/DEL-01-01_Levels/_STATUS.md\n") {
		t.Errorf("the effect is %+v", e)
	}
	res, err := call.Run(context.Background())
	must(t, err)
	if !strings.HasPrefix(res.Text, "packages: 1, deliverables: 2; made: 23 folders, 14 files\nDEL-01-01 PKG-01_Deck & rail/1_Working/DEL-01-01_Levels\n") {
		t.Errorf("the model is told %q", res.Text)
	}
	changes := x.w.Ledger.Take()
	if len(changes) != 14 || len(x.intended) != 14 {
		t.Errorf("%d changes are on record, %d were announced", len(changes), len(x.intended))
	}
	// Undo takes the files back, and the folders of the deliverables with them.
	x.undo(changes)
	if x.has("INIT.md") || x.has("PKG-01_Deck & rail/1_Working/DEL-01-01_Levels") || !x.has("_Decomposition/bridge.md") {
		t.Error("undo left what was made, or took what was there")
	}
}

func TestScaffoldReplacesTheCopy(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "project-level")
	x.put("draft/bridge.md", bridge)
	x.run("project.scaffold", map[string]any{"decomposition": "draft/bridge.md"})
	x.w.Ledger.Take()
	x.put("draft/bridge.md", bridge+"| DEL-01-03 | Light | DRAWING |\n")
	call, err := x.prepare("project.scaffold", map[string]any{"decomposition": "draft/bridge.md"})
	must(t, err)
	if e := call.Effect(); !strings.HasPrefix(e.Diff, "~ _Decomposition/bridge.md ") || e.Paths[0] != "_Decomposition/bridge.md" {
		t.Errorf("the effect is %+v", e)
	}
	_, err = call.Run(context.Background())
	must(t, err)
	changes := x.w.Ledger.Take()
	x.undo(changes)
	if data, err := os.ReadFile(filepath.Join(x.w.Project, "_Decomposition", "bridge.md")); err != nil || string(data) != bridge {
		t.Errorf("after undo the copy is %q, %v", data, err)
	}
	// Who may only make new files may not replace it.
	x = newWorld(t, "workspace-scaffold-only")
	x.put("draft/bridge.md", bridge)
	x.put("_Decomposition/bridge.md", "other")
	_, err = x.prepare("project.scaffold", map[string]any{"decomposition": "draft/bridge.md"})
	isRefused(t, err, "outside the write scope")
}

func TestScaffoldRefused(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "bridge.md")
	must(t, os.WriteFile(outside, []byte(bridge), 0o600))
	for _, c := range []struct{ name, scope, document, want string }{
		{"no scope", "none", "bridge.md", "outside the write scope"},
		{"a deliverable's own", "deliverable-local", "bridge.md", "outside the write scope"},
		{"tool roots", "tool-root-only", "bridge.md", "outside the write scope"},
		{"outside", "project-level", "../bridge.md", "outside the project"},
		{"absolute", "project-level", outside, "outside the project"},
		{"a link out", "project-level", "link.md", "cannot be read"},
		{"hidden", "project-level", ".belay/x.md", "not open to agents"},
		{"missing", "project-level", "none.md", "there is no such file"},
		{"nothing in it", "project-level", "prose.md", "defines no package"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newWorld(t, c.scope)
			x.put("bridge.md", bridge)
			x.put("prose.md", "# Prose\n")
			must(t, os.Symlink(outside, filepath.Join(x.w.Project, "link.md")))
			_, err := x.prepare("project.scaffold", map[string]any{"decomposition": c.document})
			isRefused(t, err, c.want)
			if x.has("INIT.md") {
				t.Error("something was made")
			}
		})
	}
	// What a person was shown is what is done.
	x := newWorld(t, "project-level")
	x.put("bridge.md", bridge)
	call, err := x.prepare("project.scaffold", map[string]any{"decomposition": "bridge.md"})
	must(t, err)
	x.put("bridge.md", bridge+"\n")
	_, err = call.Run(context.Background())
	isRefused(t, err, "changed meanwhile")
	if x.has("INIT.md") {
		t.Error("something was made")
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "tool-root-only (`_Estimates/`)")
	must(t, os.MkdirAll(filepath.Join(x.w.Scratch, "draft"), 0o700))
	must(t, os.WriteFile(filepath.Join(x.w.Scratch, "draft", "sum.md"), []byte("42\n"), 0o600))
	x.put("draft/a.md", "a")
	for from, want := range map[string]string{filepath.Join(x.w.Scratch, "draft"): "sum.md", "draft": "a.md"} {
		call, err := x.prepare("project.snapshot", map[string]any{"tool_root": "_Estimates/", "label": "EST", "from": from})
		must(t, err)
		name := "EST_2026-08-24_1200"
		if x.has("_Estimates/" + name + "/SHA256SUMS") {
			name += "_2"
		}
		if e := call.Effect(); e.Kind != permit.Write || !strings.Contains(e.Summary, "as a snapshot EST in _Estimates: 1 file, ") || !strings.Contains(e.Diff, want) {
			t.Errorf("the effect is %+v", e)
		}
		// A call that goes on after a restart is prepared in another minute, and its answer counts.
		if data, err := json.Marshal(call.Effect()); err != nil || bytes.Contains(data, []byte("_1200")) {
			t.Errorf("the fingerprint has the minute: %s, %v", data, err)
		}
		for _, path := range []string{"_LATEST.md", name + "/SHA256SUMS", name + "/" + want} {
			if e := call.Effect(); !slices.Contains(e.Touched, "_Estimates/"+path) {
				t.Errorf("the effect does not have %s, which rules may deny: %q", path, e.Touched)
			}
		}
		res, err := call.Run(context.Background())
		must(t, err)
		if !strings.Contains(res.Text, "published _Estimates/EST_2026-08-24_1200") || !strings.Contains(res.Text, "  "+want) {
			t.Errorf("the model is told %q", res.Text)
		}
	}
	if !x.has("_Estimates/EST_2026-08-24_1200_2/SHA256SUMS") || !x.has("_Estimates/_LATEST.md") {
		t.Error("the snapshots are not there")
	}
	// Rules have judged a name: it is the one that is published, or none.
	ask := map[string]any{"tool_root": "_Estimates", "label": "EST", "from": "draft"}
	first, err := x.prepare("project.snapshot", ask)
	must(t, err)
	second, err := x.prepare("project.snapshot", ask)
	must(t, err)
	_, err = second.Run(context.Background())
	must(t, err)
	_, err = first.Run(context.Background())
	isRefused(t, err, "_Estimates has EST_2026-08-24_1200_3 by now")
	if x.has("_Estimates/EST_2026-08-24_1200_4") {
		t.Error("it is published under a name that nobody has seen")
	}
}

// A tool root that is a link would lead past the write scope and past denials.
func TestSnapshotInLinkedToolRoot(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "project-level")
	x.put("draft/a.md", "a")
	x.put("docs/b.md", "b")
	must(t, os.Symlink("docs", filepath.Join(x.w.Project, "_Estimates")))
	call, err := x.prepare("project.snapshot", map[string]any{"tool_root": "_Estimates", "label": "E", "from": "draft"})
	must(t, err)
	_, err = call.Run(context.Background())
	isRefused(t, err, "toolRoot _Estimates is reached by a link")
	if all, err := os.ReadDir(filepath.Join(x.w.Project, "docs")); err != nil || len(all) != 1 {
		t.Errorf("docs has %v, %v", all, err)
	}
}

// What a rule denies to read is neither published nor made into folders.
func TestDeniedToRead(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "project-level")
	x.put("secrets/bridge.md", bridge)
	x.put("draft/a.md", "a")
	x.w.Unreadable = func(path string, _ bool) string {
		if path == "secrets" || strings.HasPrefix(path, "secrets/") {
			return "read(secrets/**)"
		}
		return ""
	}
	_, err := x.prepare("project.snapshot", map[string]any{"tool_root": "_Estimates", "label": "E", "from": "secrets"})
	isRefused(t, err, "not open to agents")
	_, err = x.prepare("project.scaffold", map[string]any{"decomposition": "secrets/bridge.md"})
	isRefused(t, err, "not open to agents")
	must(t, os.Symlink("secrets", filepath.Join(x.w.Project, "s")))
	_, err = x.prepare("project.scaffold", map[string]any{"decomposition": "s/bridge.md"})
	isRefused(t, err, "cannot be read")
	must(t, os.Remove(filepath.Join(x.w.Project, "s")))
	res := x.run("project.snapshot", map[string]any{"tool_root": "_Estimates", "label": "E", "from": "."})
	if strings.Contains(res.Text, "secrets") || !strings.Contains(res.Text, "draft/a.md") {
		t.Errorf("the model gets %q", res.Text)
	}
}

func TestSnapshotRefused(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600))
	for _, c := range []struct{ name, scope, root, label, from, want string }{
		{"no scope", "none", "_Estimates", "E", "draft", "outside the write scope"},
		{"another tool root", "tool-root-only (_Change/)", "_Estimates", "E", "draft", "outside the write scope"},
		{"a deliverable's own", "deliverable-local", "_Estimates", "E", "draft", "outside the write scope"},
		{"no tool root", "project-level", "PKG-01_X", "E", "draft", "must be a tool root"},
		{"a label that leads out", "project-level", "_Estimates", "../E", "draft", "label must be a plain name"},
		{"outside", "project-level", "_Estimates", "E", outside, "outside the project"},
		{"a link out", "project-level", "_Estimates", "E", "out", "is reached by a link"},
		{"a link to what is hidden", "project-level", "_Estimates", "E", "memory/sessions", "is reached by a link"},
		{"hidden", "project-level", "_Estimates", "E", ".belay", "not open to agents"},
		{"missing", "project-level", "_Estimates", "E", "none", "does not exist"},
		{"a link in it", "project-level", "_Estimates", "E", "linked", "no regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newWorld(t, c.scope)
			x.put("draft/a.md", "a")
			x.put("linked/a.md", "a")
			must(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(x.w.Project, "linked", "secret")))
			must(t, os.Symlink(outside, filepath.Join(x.w.Project, "out")))
			x.put(".belay/sessions/s1", "said")
			must(t, os.Symlink(".belay", filepath.Join(x.w.Project, "memory")))
			_, err := x.prepare("project.snapshot", map[string]any{"tool_root": c.root, "label": c.label, "from": c.from})
			isRefused(t, err, c.want)
			if x.has("_Estimates") {
				t.Error("something was made")
			}
		})
	}
	x := newWorld(t, "project-level")
	x.put("draft/a.md", "a")
	call, err := x.prepare("project.snapshot", map[string]any{"tool_root": "_Estimates", "label": "E", "from": "draft"})
	must(t, err)
	x.put("draft/b.md", "b")
	_, err = call.Run(context.Background())
	isRefused(t, err, "changed meanwhile")
	// The memory of belay and the operator's folders go into no snapshot.
	x.put(".belay/sessions/s/transcript.jsonl", "{}")
	res := x.run("project.snapshot", map[string]any{"tool_root": "_Estimates", "label": "ALL", "from": "."})
	if strings.Contains(res.Text, ".belay") || !strings.Contains(res.Text, "draft/a.md") {
		t.Errorf("the model is told %q", res.Text)
	}
}
