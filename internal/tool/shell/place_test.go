package shell

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"belay/internal/attachment"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool"
)

// guard is a scope that protects every _STATUS.md.
type guard struct{}

func (guard) Allows(p string, _ bool) error {
	if path.Base(p) == "_STATUS.md" {
		return errors.New(p + " is protected")
	}
	return nil
}
func (guard) HasZones(name string) bool               { return path.Base(name) == "_DEPENDENCIES.md" }
func (guard) KeepsZones(string, []byte, []byte) error { return nil }
func (guard) Hidden(p string) bool                    { return p == ".belay" }
func (guard) Describe() string                        { return "all but _STATUS.md" }

// blobs is a content store in memory.
type blobs struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (b *blobs) Put(_ context.Context, r io.Reader, most int64) (string, int64, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil || int64(len(data)) > most {
		return "", 0, errors.Join(err, session.ErrTooLarge)
	}
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept[sha] = bytes.Clone(data)
	return sha, int64(len(data)), nil
}

func (b *blobs) Keep(ctx context.Context, _ string, data []byte) error {
	_, _, err := b.Put(ctx, bytes.NewReader(data), int64(len(data)))
	return err
}

func (b *blobs) Content(string) (attachment.Content, error) { return nil, session.ErrNoBlob }

// newPlace is a project in base, with a scratch and a state folder beside it.
func newPlace(t testing.TB, base string) *tool.Environment {
	t.Helper()
	open := func(name string) (string, *os.Root) {
		dir := filepath.Join(base, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = root.Close() })
		return dir, root
	}
	w := &tool.Environment{
		Scope: guard{}, Blobs: &blobs{kept: map[string][]byte{}}, Seen: &tool.Seen{}, Ledger: &tool.Ledger{},
		Limits: tool.Limits{
			OutputBytes: 32 << 10, CommandBytes: 1 << 20, CommandTime: 5 * time.Minute, CommandTimeMost: 5 * time.Minute, KeepBytes: 1 << 20,
		},
		Gate: tool.Open{}, Journal: journal.New(filepath.Join(base, "state", "journal"), nil), Clock: time.Now,
	}
	w.Project, w.Root = open("project")
	w.Scratch, w.ScratchRoot = open("scratch")
	return w
}

func newShell(t testing.TB, base string, o Options) *Shell {
	t.Helper()
	o.StateDir = filepath.Join(base, "state")
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	return New(o)
}

// tempDir is a real path, as projects have.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// callShell runs a command through the tool, and applies what it changed, as a
// person does who allows nothing that runs by itself.
func callShell(t testing.TB, s *Shell, w *tool.Environment, in input) (tool.Result, error) {
	t.Helper()
	r, err := runShell(t, s, w, in)
	if err == nil && r.Changes != nil {
		if len(r.Changes.Effect().Automatic) > 0 {
			return r.Changes.Discard(t.Context(), "a person did not allow it")
		}
		return r.Changes.Apply(t.Context(), nil)
	}
	return r, err
}

// runShell runs a command through the tool, and leaves what it changed undecided.
func runShell(t testing.TB, s *Shell, w *tool.Environment, in input) (tool.Result, error) {
	t.Helper()
	m := map[string]any{"command": in.Command}
	if in.Dir != "" {
		m["dir"] = in.Dir
	}
	if in.TimeoutMS != 0 {
		m["timeout_ms"] = in.TimeoutMS
	}
	if in.Write {
		m["write"] = true
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Prepare(t.Context(), w, raw)
	if err != nil {
		return tool.Result{}, err
	}
	sum := sha256.Sum256([]byte(t.Name() + in.Command))
	ctx := tool.WithOrigin(t.Context(), tool.Origin{CallID: "call", ChangeID: "chg_" + hex.EncodeToString(sum[:12])})
	return c.Run(ctx)
}
