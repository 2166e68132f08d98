package attachment

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clock is a time that tests move.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

func newClock() *clock { return &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

// What cannot be opened is no reason not to begin.
func TestCacheThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "renditions")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPlanner(t, PlannerOptions{CacheDir: dir})
	it := Item{Name: "a.txt", MIMEType: "text/plain", Kind: KindText, Bytes: 5, SHA256: bytesContent("hello").SHA256()}
	if d := plan(t, p, it, bytesContent("hello"), generous, false); len(d.Parts) != 1 {
		t.Errorf("the delivery is %+v", d)
	}
}

func TestCacheRoundTrip(t *testing.T) {
	t.Parallel()
	c := newCache(t.TempDir(), 1<<20, time.Now)
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.get("key"); ok {
		t.Error("an empty cache has something")
	}
	put, err := c.put("key", made{rendition: rendition{MIMEType: "image/png", Width: 3}, data: []byte("bytes")})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := c.get("key")
	if !ok || got != put || got.Bytes != 5 || got.SHA256 != bytesContent("bytes").SHA256() {
		t.Errorf("put %+v, got %+v", put, got)
	}
	if data, err := read(got.content); err != nil || string(data) != "bytes" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := c.put("note", made{rendition: rendition{Note: "why"}}); err != nil {
		t.Fatal(err)
	}
	if got, ok := c.get("note"); !ok || got.Note != "why" || got.content != nil {
		t.Errorf("got %+v", got)
	}
}

// Entries that a crash or a person damaged are missing, not wrong.
func TestCacheDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := newCache(dir, 1<<20, time.Now)
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	damage := map[string]func(string) error{
		"no bytes":  func(key string) error { return os.Remove(filepath.Join(dir, key+".bin")) },
		"cut bytes": func(key string) error { return os.Truncate(filepath.Join(dir, key+".bin"), 2) },
		"cut facts": func(key string) error { return os.Truncate(filepath.Join(dir, key+".json"), 2) },
	}
	for key, harm := range damage {
		if _, err := c.put(key, made{data: []byte("bytes")}); err != nil {
			t.Fatal(err)
		}
		if err := harm(key); err != nil {
			t.Fatal(err)
		}
		if r, ok := c.get(key); ok {
			t.Errorf("%s: got %+v", key, r)
		}
	}
}

// The longest unused go first, what may be in use stays, and reading is using.
func TestCacheEviction(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), newClock()
	c := newCache(dir, 11_000, clock.time)
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	put := func(key string) {
		t.Helper()
		if _, err := c.put(key, made{data: make([]byte, 3000)}); err != nil {
			t.Fatal(err)
		}
	}
	has := func() string {
		var keys []string
		for i := range 9 {
			if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("%d.bin", i))); err == nil {
				keys = append(keys, fmt.Sprint(i))
			}
		}
		return strings.Join(keys, "")
	}
	for i := range 3 {
		put(fmt.Sprint(i))
		clock.now = clock.now.Add(time.Hour)
	}
	if _, ok := c.get("0"); !ok { // now 1 is the longest unused
		t.Fatal("nothing under 0")
	}
	put("3")
	if got := has(); got != "023" {
		t.Errorf("after a sweep: %s", got)
	}
	put("4")
	put("5") // all of 3, 4, 5 and 0 were used just now
	if got := has(); got != "0345" {
		t.Errorf("after a burst: %s", got)
	}
	clock.now = clock.now.Add(time.Hour)
	stale := filepath.Join(dir, "tmp-left")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(stale, clock.now, clock.now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := newCache(dir, 7000, clock.time).open(); err != nil {
		t.Fatal(err)
	}
	if got := has(); len(got) != 2 {
		t.Errorf("after opening with less: %s", got)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a temporary file of a crash is still there")
	}
}

// A cache that is removed, or cannot be written to, hinders no attachment: it is made again,
// or what is sent is made for each turn.
func TestCacheIsGone(t *testing.T) {
	t.Parallel()
	said := &strings.Builder{}
	dir := filepath.Join(t.TempDir(), "renditions")
	p := newPlanner(t, PlannerOptions{CacheDir: dir, Logger: slog.New(slog.NewTextHandler(said, nil))})
	text := func(name, content string) string {
		t.Helper()
		it := Item{Name: name, MIMEType: "text/plain", Kind: KindText, Bytes: int64(len(content)), SHA256: bytesContent(content).SHA256()}
		l := generous
		l.TextBytes = 20
		d := plan(t, p, it, bytesContent(content), l, false)
		if len(d.Parts) != 2 {
			t.Fatalf("%s: %+v", name, d)
		}
		data, err := read(d.Parts[1].(TextDocumentPart).Content)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return strings.ReplaceAll(string(data), name, "NAME")
	}
	want := text("a.txt", strings.Repeat("a.txt\n", 9))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got := text("b.txt", strings.Repeat("b.txt\n", 9)); got != want {
		t.Errorf("after its folder was removed: %s, want %s", got, want)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder is not made again: %v, %v", entries, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // nothing can be made there
		t.Fatal(err)
	}
	for _, name := range []string{"c.txt", "d.txt"} {
		if got := text(name, strings.Repeat(name+"\n", 9)); got != want {
			t.Errorf("%s, without a cache: %s, want %s", name, got, want)
		}
	}
	if n := strings.Count(said.String(), "cannot be used as it should"); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, said)
	}
}
