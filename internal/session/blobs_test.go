package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"belay/internal/fault"
)

// Bytes that were changed in the store are never given out under the old name,
// and attaching the true ones again makes it whole.
//
// Covers: attachment-resolver REQ-05
func TestSpoiltBlobIsNotServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, err := w.Blobs(w.project)
	must(t, err)
	sha, _, err := b.Put(t.Context(), strings.NewReader("true words"), 100)
	must(t, err)
	before, err := b.Content(sha)
	must(t, err)
	name := filepath.Join(w.project, ".belay", "blobs", sha)
	for what, spoil := range map[string]func() error{
		"same length": func() error {
			later := time.Now().Add(time.Hour) // clocks of file systems are coarse
			return errors.Join(os.WriteFile(name, []byte("false word"), 0o600), os.Chtimes(name, later, later))
		},
		"longer": func() error { return os.WriteFile(name, bytes.Repeat([]byte("x"), 1<<20), 0o600) },
		"empty":  func() error { return os.Truncate(name, 0) },
		"a link": func() error { return errors.Join(os.Remove(name), os.Symlink(os.TempDir(), name)) },
	} {
		must(t, spoil())
		if _, err := b.Content(sha); !errors.Is(err, ErrNoBlob) {
			t.Errorf("%s: Content gave %v, want ErrNoBlob", what, err)
		}
		if f, err := before.Open(); !errors.Is(err, ErrNoBlob) {
			t.Errorf("%s: Open gave %v, %v, want ErrNoBlob", what, f, err)
		}
		if _, _, err := b.Put(t.Context(), strings.NewReader("true words"), 100); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		c, err := w.store().Blobs(w.project)
		must(t, err)
		whole, err := c.Content(sha)
		must(t, err)
		if whole.Size() != 10 {
			t.Errorf("%s: put again, it has %d bytes", what, whole.Size())
		}
	}
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	b, err := w.Blobs(w.project)
	must(t, err)
	for _, n := range []int{0, 1, copyBytes - 1, copyBytes, copyBytes + 1, 5*copyBytes + 7} {
		data := bytes.Repeat([]byte("0123456789"), n/10+1)[:n]
		sum := sha256.Sum256(data)
		for range 2 { // stored once
			sha, got, err := b.Put(ctx, iotest.HalfReader(bytes.NewReader(data)), int64(n))
			must(t, err)
			if sha != hex.EncodeToString(sum[:]) || got != int64(n) {
				t.Errorf("%d bytes are stored as %s, %d", n, sha, got)
			}
		}
		c, err := b.Content(hex.EncodeToString(sum[:]))
		must(t, err)
		r, err := c.Open()
		must(t, err)
		got, err := io.ReadAll(r)
		must(t, errors.Join(err, r.Close()))
		if !bytes.Equal(got, data) || c.Size() != int64(n) {
			t.Errorf("%d bytes came back as %d", n, len(got))
		}
	}
	must(t, b.Sync(ctx))
	if entries, err := os.ReadDir(filepath.Join(w.project, ".belay", "blobs")); err != nil || len(entries) != 6 {
		t.Errorf("%d files in the store, want 6: %v", len(entries), err)
	}
}

func TestPutKeepsNothingOfAFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, err := w.Blobs(w.project)
	must(t, err)
	broken := errors.New("the upload broke off")
	done, cancel := context.WithCancel(context.Background())
	cancel()
	long := strings.NewReader(strings.Repeat("x", 3*copyBytes))
	for name, test := range map[string]struct {
		ctx  context.Context
		r    io.Reader
		want error
	}{
		"too large":        {context.Background(), strings.NewReader("12345"), ErrTooLarge},
		"much too large":   {context.Background(), io.MultiReader(long, long), ErrTooLarge},
		"broken":           {context.Background(), io.MultiReader(strings.NewReader("1"), iotest.ErrReader(broken)), broken},
		"truncated":        {context.Background(), io.MultiReader(strings.NewReader("1"), iotest.ErrReader(io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF},
		"context is ended": {done, strings.NewReader("1"), context.Canceled},
	} {
		limit := int64(4)
		if name == "much too large" {
			limit = 2 * copyBytes
		}
		if _, _, err := b.Put(test.ctx, test.r, limit); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(w.project, ".belay", "blobs")); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestMissingContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, err := w.Blobs(w.project)
	must(t, err)
	for _, sha := range []string{strings.Repeat("a", 64), strings.Repeat("A", 64), "", "../../session.json", strings.Repeat("a", 63)} {
		if _, err := b.Content(sha); !errors.Is(err, ErrNoBlob) || !fault.Is(err, fault.NotFound) {
			t.Errorf("content %q gave %v", sha, err)
		}
	}
	sha, _, err := b.Put(context.Background(), strings.NewReader("x"), 1)
	must(t, err)
	c, err := b.Content(sha)
	must(t, err)
	must(t, os.Remove(filepath.Join(w.project, ".belay", "blobs", sha)))
	if _, err := c.Open(); !errors.Is(err, ErrNoBlob) {
		t.Errorf("a blob that vanished gave %v", err)
	}
}

// The same content put by many at once is stored once and whole, also while GC
// wants to remove it.
func TestPutBesideGC(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	w.session() // so that GC knows the project
	b, err := w.Blobs(w.project)
	must(t, err)
	data := strings.Repeat("content", 1000)
	sum := sha256.Sum256([]byte(data))
	sha := hex.EncodeToString(sum[:])
	path := filepath.Join(w.project, ".belay", "blobs", sha)
	old := time.Now().Add(-100 * time.Hour)
	for range 30 {
		_, _, err := b.Put(ctx, strings.NewReader(data), 1<<20)
		must(t, err)
		must(t, os.Chtimes(path, old, old))
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, _, err := b.Put(ctx, strings.NewReader(data), 1<<20); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if _, err := w.Upkeep.GC(ctx, GCOptions{BlobAge: time.Hour}); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if string(read(t, path)) != data {
			t.Fatal("a blob that was just put is gone")
		}
	}
}

func TestGC(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	rec := w.session()
	b, err := w.Blobs(w.project)
	must(t, err)
	put := func(content string, age time.Duration) string {
		sha, _, err := b.Put(ctx, strings.NewReader(content), 1<<20)
		must(t, err)
		then := time.Now().Add(-age)
		must(t, os.Chtimes(filepath.Join(w.project, ".belay", "blobs", sha), then, then))
		return sha
	}
	used, fresh, gone := put("used", 1000*time.Hour), put("fresh", time.Minute), put("gone!", 1000*time.Hour)
	l := acquire(t, w.Store, rec.SessionID)
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t", Message: "names " + used}))
	must(t, l.Release())
	leftover := filepath.Join(w.project, ".belay", "blobs", ".put-CRASHED")
	hidden := filepath.Join(w.project, ".belay", "sessions", ".deleted-x")
	must(t, os.WriteFile(leftover, []byte("1234567"), 0o600))
	must(t, os.MkdirAll(hidden, 0o700))
	must(t, os.WriteFile(filepath.Join(hidden, "f"), []byte("123"), 0o600))
	old := time.Now().Add(-2 * time.Hour)
	must(t, os.Chtimes(leftover, old, old))
	must(t, os.Chtimes(hidden, old, old))

	want := GCReport{Sessions: 1, Blobs: 1, BlobBytes: 5, Leftovers: 2, LeftoverBytes: 10}
	for _, dry := range []bool{true, false} {
		got, err := w.Upkeep.GC(ctx, GCOptions{BlobAge: time.Nanosecond, LogAge: time.Nanosecond, DryRun: dry})
		must(t, err)
		if got != want {
			t.Errorf("dry run %v: %+v, want %+v", dry, got, want)
		}
		_, err = b.Content(gone)
		if errors.Is(err, ErrNoBlob) == dry {
			t.Errorf("dry run %v: the unused blob: %v", dry, err)
		}
	}
	for _, sha := range []string{used, fresh} {
		if _, err := b.Content(sha); err != nil {
			t.Error(err)
		}
	}
	if got, err := w.Upkeep.GC(ctx, GCOptions{}); err != nil || got != (GCReport{Sessions: 1}) {
		t.Errorf("with nothing to do: %+v, %v", got, err)
	}
	turn(t, w.Store, rec.SessionID, "after", 1)
	l = acquire(t, w.Store, rec.SessionID)
	if got, err := w.Upkeep.GC(ctx, GCOptions{LogAge: time.Hour}); err != nil || got.Busy != 1 {
		t.Errorf("with a running turn: %+v, %v", got, err)
	}
	must(t, l.Release())
}

// Bytes that are in memory are stored once, spoilt ones afresh, and what is durable
// already is not flushed again.
func TestKeep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, err := w.Blobs(w.project)
	must(t, err)
	data := []byte("some words")
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	name := filepath.Join(w.project, ".belay", "blobs", sha)
	keep := func() os.FileInfo {
		must(t, b.Keep(t.Context(), sha, data))
		info, err := os.Stat(name)
		must(t, err)
		return info
	}
	first := keep()
	must(t, b.Sync(t.Context()))
	if !os.SameFile(first, keep()) || len(b.fresh) != 0 {
		t.Errorf("what is on disk was kept again: %v", b.fresh)
	}
	must(t, os.WriteFile(name, []byte("other text"), 0o600))
	later := time.Now().Add(time.Hour) // clocks of file systems are coarse
	must(t, os.Chtimes(name, later, later))
	if os.SameFile(first, keep()) || !b.fresh[sha] {
		t.Error("what was spoilt is taken for what it was")
	}
	got, err := os.ReadFile(name)
	must(t, err)
	if !bytes.Equal(got, data) {
		t.Errorf("it holds %q", got)
	}
	another, err := w.Blobs(w.project)
	must(t, err)
	must(t, another.Keep(t.Context(), sha, data))
	if !another.fresh[sha] {
		t.Error("what was never flushed is taken for durable")
	}
}
