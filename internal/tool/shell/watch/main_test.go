package watch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"belay/internal/attachment"
	"belay/internal/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scope lets everything be written but what its list names, or all beneath.
type scope struct{ closed []string }

func (s scope) Allows(p string, _ bool) error {
	for _, c := range s.closed {
		if p == c || path.Base(p) == c || strings.HasPrefix(p, c+"/") {
			return errors.New(c + " is closed")
		}
	}
	return nil
}

// KeepsZones guards the lines that begin with "HUMAN".
func (scope) KeepsZones(_ string, before, after []byte) error {
	for line := range strings.Lines(string(before)) {
		if strings.HasPrefix(line, "HUMAN") && !strings.Contains(string(after), line) {
			return errors.New("a human zone")
		}
	}
	return nil
}

func (scope) Hidden(string) bool { return false }
func (scope) Describe() string   { return "all but what is closed" }

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
	b.kept[sha] = data
	return sha, int64(len(data)), nil
}

func (b *blobs) Content(sha string) (attachment.Content, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if data, ok := b.kept[sha]; ok {
		return content{sha, data}, nil
	}
	return nil, session.ErrNoBlob
}

// put stores a text and returns its hash.
func (b *blobs) put(text string) string {
	sha, _, err := b.Put(context.Background(), strings.NewReader(text), int64(len(text)))
	if err != nil {
		panic(err)
	}
	return sha
}

type content struct {
	sha  string
	data []byte
}

func (c content) SHA256() string { return c.sha }
func (c content) Size() int64    { return int64(len(c.data)) }
func (c content) Open() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(c.data)), nil
}

func (b *blobs) text(sha string) string { return string(b.kept[sha]) }

// house is a project with a watcher.
type house struct {
	t     testing.TB
	dir   string
	state string
	w     *Watcher
	place Place
	blobs *blobs
}

func newHouse(t testing.TB, files map[string]string, closed ...string) *house {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, dir: filepath.Join(base, "project"), state: filepath.Join(base, "state"), blobs: &blobs{kept: map[string][]byte{}}}
	for name, text := range files {
		h.write(name, text)
	}
	root, err := os.OpenRoot(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	h.w = New(Options{Dir: h.state, System: []string{"/usr"}})
	h.place = Place{Project: h.dir, Root: root, Scope: scope{closed}, Blobs: h.blobs, FileBytes: 1 << 20}
	t.Cleanup(func() {
		_ = root.Close()
		if err := h.w.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) at(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

func (h *house) write(name, text string) {
	h.t.Helper()
	h.must(os.MkdirAll(filepath.Dir(h.at(name)), 0o755))
	h.must(os.WriteFile(h.at(name), []byte(text), 0o644))
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// during runs what a command does under the watch.
func (h *house) during(command func()) Result {
	h.t.Helper()
	x, err := h.w.Begin(h.t.Context(), h.place)
	h.must(err)
	command()
	r, err := x.End(h.t.Context())
	h.must(err)
	return r
}

// all is the project's files with their contents, links with where they lead.
func (h *house) all() map[string]string {
	h.t.Helper()
	m := map[string]string{}
	h.must(filepath.WalkDir(h.dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(h.dir, p)
		if d.Type() == os.ModeSymlink {
			target, err := os.Readlink(p)
			m[filepath.ToSlash(rel)] = "-> " + target
			return err
		}
		data, err := os.ReadFile(p)
		m[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return m
}

// lines are changes as a person reads them.
func (h *house) lines(r Result) []string {
	var all []string
	for _, c := range r.Changes {
		line := c.Path + ": " + shown(h.blobs.text(c.Before), c.BeforeMode) + " > " + shown(h.blobs.text(c.After), c.AfterMode)
		if c.Restored {
			line = c.Path + ": restored"
		}
		if c.Lost != "" {
			line += " (lost)"
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

func shown(text string, mode os.FileMode) string {
	if mode == 0 {
		return "none"
	}
	return text + " " + mode.String()
}
