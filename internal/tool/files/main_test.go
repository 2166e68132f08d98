package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a project with a scratch folder, and the tools at work in it.
type world struct {
	t     testing.TB
	w     *tool.Environment
	blobs *memory
	tools map[string]tool.Tool
}

func newWorld(t testing.TB) *world {
	return newWorldOf(t, workspace.ScopeOptions{WriteScope: "repo-wide"})
}

func newWorldOf(t testing.TB, o workspace.ScopeOptions) *world {
	t.Helper()
	project, scratch := t.TempDir(), t.TempDir()
	o.Project = project
	x := &world{t: t, blobs: &memory{}, tools: map[string]tool.Tool{}}
	x.w = &tool.Environment{
		Project: project, Root: openRoot(t, project), Scratch: scratch, ScratchRoot: openRoot(t, scratch),
		Scope: workspace.NewScope(o), Blobs: x.blobs, Files: admitter{x.blobs}, Seen: &tool.Seen{}, Ledger: &tool.Ledger{},
		Limits: tool.Limits{OutputBytes: 64 << 10, ReadBytes: 1 << 20, WriteBytes: 512 << 10, Matches: 200, KeepBytes: 256 << 10},
		Gate:   tool.Open{}, Journal: journal.New(filepath.Join(t.TempDir(), "journal"), nil),
		Clock: time.Now,
	}
	for _, tl := range New(Options{Workers: 3}) {
		x.tools[tl.Spec().Name] = tl
	}
	return x
}

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// prepare checks a call as the engine does; input is encoded as JSON.
func (x *world) prepare(name string, input any) (tool.Call, error) {
	x.t.Helper()
	raw, err := json.Marshal(input)
	must(x.t, err)
	set, err := tool.NewSet(x.tools[name])
	must(x.t, err)
	return set.Prepare(context.Background(), x.w, name, raw)
}

// call prepares and runs.
func (x *world) call(name string, input any) (tool.Result, error) {
	x.t.Helper()
	c, err := x.prepare(name, input)
	if err != nil {
		return tool.Result{}, err
	}
	return c.Run(context.Background())
}

// ok is call for what must work.
func (x *world) ok(name string, input any) tool.Result {
	x.t.Helper()
	r, err := x.call(name, input)
	if err != nil {
		x.t.Fatalf("%s %v: %v", name, input, err)
	}
	return r
}

type in map[string]any

// refused checks that err is a refusal with those words in it.
func refused(t testing.TB, what string, err error, words ...string) *tool.Refusal {
	t.Helper()
	r, ok := tool.AsRefusal(err)
	if !ok {
		t.Errorf("%s: error %v, want a refusal", what, err)
		return &tool.Refusal{}
	}
	for _, w := range words {
		if !strings.Contains(r.Error(), w) {
			t.Errorf("%s: refusal %q does not say %q", what, r.Error(), w)
		}
	}
	return r
}

// put writes a file of the project behind the tools' back.
func (x *world) put(name, data string) {
	x.t.Helper()
	path := filepath.Join(x.w.Project, filepath.FromSlash(name))
	must(x.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(x.t, os.WriteFile(path, []byte(data), 0o644))
}

func (x *world) get(name string) string {
	x.t.Helper()
	data, err := os.ReadFile(filepath.Join(x.w.Project, filepath.FromSlash(name)))
	must(x.t, err)
	return string(data)
}

// link makes a link, or skips the test where that is not allowed.
func (x *world) link(target, name string) {
	x.t.Helper()
	path := filepath.Join(x.w.Project, filepath.FromSlash(name))
	must(x.t, os.MkdirAll(filepath.Dir(path), 0o755))
	if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
		x.t.Skipf("skipped: this system does not let the test make links: %v", err)
	}
}

// memory is a blob store in memory.
type memory struct {
	mu    sync.Mutex
	blobs map[string][]byte
}

func (m *memory) Put(_ context.Context, r io.Reader, most int64) (string, int64, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return "", 0, err
	}
	if int64(len(data)) > most {
		return "", 0, session.ErrTooLarge
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs == nil {
		m.blobs = map[string][]byte{}
	}
	m.blobs[tool.Digest(data)] = data
	return tool.Digest(data), int64(len(data)), nil
}

func (m *memory) Keep(ctx context.Context, _ string, data []byte) error {
	_, _, err := m.Put(ctx, bytes.NewReader(data), int64(len(data)))
	return err
}

func (m *memory) Content(sha string) (attachment.Content, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.blobs[sha]
	if !ok {
		return nil, fault.New(fault.NotFound, "no blob").Because(session.ErrNoBlob)
	}
	return blob{data}, nil
}

type blob struct{ data []byte }

func (b blob) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.data)), nil }
func (b blob) Size() int64                  { return int64(len(b.data)) }
func (b blob) SHA256() string               { return tool.Digest(b.data) }

// admitter takes every file with the extension of an image or a PDF.
type admitter struct{ blobs *memory }

func (a admitter) Admit(ctx context.Context, path string) (attachment.Item, error) {
	if !filepath.IsAbs(path) {
		return attachment.Item{}, errors.New("the path is not absolute")
	}
	f, err := os.Open(path)
	if err != nil {
		return attachment.Item{}, err
	}
	defer f.Close()
	types := map[string]string{".png": "image/png", ".pdf": "application/pdf"}
	if types[filepath.Ext(path)] == "" {
		return attachment.Item{}, tool.Refuse("the extension is not allowed")
	}
	sha, n, err := a.blobs.Put(ctx, f, 1<<20)
	return attachment.Item{SHA256: sha, Bytes: n, MIMEType: types[filepath.Ext(path)], Name: filepath.Base(path)}, err
}

// revert takes changes back as an undo does.
func (x *world) revert(changes []session.Change) (conflicts []string, err error) {
	return x.revertWith(changes, x.blobs)
}

func (x *world) revertWith(changes []session.Change, blobs tool.Blobs) (conflicts []string, err error) {
	j, err := OpenJournal(context.Background(), x.w.Journal, x.w.Project, x.w.Root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	tx, conflicts, err := Revert(context.Background(), Undo{
		Journal: j, Owner: journal.Owner{What: "undo"}, Root: x.w.Root, Blobs: blobs, Changes: changes,
	})
	if tx != nil {
		tx.Done()
	}
	return conflicts, err
}

// tree is every file and folder of a project with bytes and permissions.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch filepath.ToSlash(rel) {
		case ".belay", ".belay/.gitignore", ".belay/journal":
			return nil // which tools do not see; nothing of theirs stays in it
		}
		content := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			if content, err = os.Readlink(path); err != nil {
				return err
			}
		}
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(data)
		}
		all[filepath.ToSlash(rel)] = info.Mode().String() + " " + content
		return nil
	}))
	return all
}
