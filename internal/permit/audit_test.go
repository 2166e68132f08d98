package permit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"belay/internal/durable"
	"belay/internal/redact"
)

func newAudit(t testing.TB) *Audit {
	t.Helper()
	a, err := OpenAudit(filepath.Join(t.TempDir(), "state", "audit.jsonl"), nil)
	must(t, err)
	return a
}

// writtenLog is a log of n entries.
func writtenLog(t testing.TB, n int) (*Audit, []byte) {
	t.Helper()
	a := newAudit(t)
	for i := range n {
		must(t, a.Append(soon(t), Entry{Kind: "decision", Verdict: "allow", Summary: fmt.Sprint("entry ", i+1)}))
	}
	data, err := os.ReadFile(a.path)
	must(t, err)
	return a, data
}

func TestAuditHoldsWhatWasWritten(t *testing.T) {
	t.Parallel()
	a, data := writtenLog(t, 3)
	if n, err := verified(bytes.NewReader(data)); n != 3 || err != nil {
		t.Errorf("verified = %d, %v", n, err)
	}
	if n, err := a.Verify(soon(t)); n != 3 || err != nil {
		t.Errorf("Verify = %d, %v", n, err)
	}
	if info, err := os.Stat(a.path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the log's mode is %v, %v", info.Mode(), err)
	}
	if n, err := newAudit(t).Verify(soon(t)); n != 0 || err != nil {
		t.Errorf("a log that was never written: %d, %v", n, err)
	}
	if _, err := OpenAudit("audit.jsonl", nil); err == nil {
		t.Error("a relative path was taken")
	}
}

// Whatever is done to one line is found, and named.
func TestAuditNamesTheFirstBrokenLine(t *testing.T) {
	t.Parallel()
	a, data := writtenLog(t, 5)
	lines := bytes.SplitAfter(data, []byte("\n"))[:5]
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, 4).Draw(t, "line")
		changed := make([][]byte, 5)
		copy(changed, lines)
		switch how := rapid.SampledFrom([]string{"byte", "remove", "twice", "swap", "foreign"}).Draw(t, "how"); {
		case how == "byte":
			line := bytes.Clone(lines[i])
			at := rapid.IntRange(0, len(line)-2).Draw(t, "at")
			line[at] ^= byte(rapid.IntRange(1, 127).Draw(t, "bits"))
			if line[at] == '\n' {
				return // two lines now; the first of them is broken, which "foreign" shows
			}
			changed[i] = line
		case how == "remove" && i < 4:
			changed = append(changed[:i:i], lines[i+1:]...)
		case how == "twice":
			changed = append(append(changed[:i:i], lines[i]), lines[i:]...)
			i++
		case how == "swap" && i < 4:
			changed[i], changed[i+1] = lines[i+1], lines[i]
		default:
			changed[i] = []byte("{}\n")
		}
		n, err := verified(bytes.NewReader(bytes.Join(changed, nil)))
		if !errors.Is(err, ErrAuditBroken) || n != i || !strings.Contains(err.Error(), fmt.Sprintf("line %d:", i+1)) {
			t.Fatalf("%d good lines and %v, want line %d named", n, err, i+1)
		}
	})
	if n, err := a.Verify(soon(t)); n != 5 || err != nil {
		t.Errorf("the log itself: %d, %v", n, err)
	}
}

func TestAuditNoticesACutEnd(t *testing.T) {
	t.Parallel()
	ctx := soon(t)
	a, data := writtenLog(t, 5)
	lines := bytes.SplitAfter(data, []byte("\n"))
	must(t, os.WriteFile(a.path, bytes.Join(lines[:3], nil), 0o600))
	if n, err := a.Verify(ctx); n != 3 || !errors.Is(err, ErrAuditBroken) || !strings.Contains(err.Error(), "line 4") {
		t.Errorf("two lines cut off: %d, %v", n, err)
	}
	// Writing goes on, and does not hide it.
	must(t, a.Append(ctx, Entry{Kind: "decision"}))
	if n, err := a.Verify(ctx); n != 3 || !errors.Is(err, ErrAuditBroken) {
		t.Errorf("after one more entry: %d, %v", n, err)
	}
	must(t, os.Remove(a.path))
	if _, err := a.Verify(ctx); !errors.Is(err, ErrAuditBroken) {
		t.Errorf("the log is gone: %v", err)
	}
	b, _ := writtenLog(t, 2)
	must(t, os.Remove(b.path+".head"))
	if _, err := b.Verify(ctx); !errors.Is(err, ErrAuditBroken) {
		t.Errorf("the head is gone: %v", err)
	}
}

// A process may die between a line and the head, and in the middle of a line.
func TestAuditIsRepairedAfterADeath(t *testing.T) {
	t.Parallel()
	ctx := soon(t)
	a, _ := writtenLog(t, 3)
	before, err := os.ReadFile(a.path + ".head")
	must(t, err)
	must(t, a.Append(ctx, Entry{Kind: "decision"}))
	must(t, os.WriteFile(a.path+".head", before, 0o600))
	if n, err := a.Verify(ctx); n != 4 || err != nil {
		t.Errorf("a head that is one line behind: %d, %v", n, err)
	}
	f, err := os.OpenFile(a.path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`{"n":5,"time":"20`)
	must(t, err)
	must(t, f.Close())
	if n, err := a.Verify(ctx); n != 4 || err != nil {
		t.Errorf("a torn line: %d, %v", n, err)
	}
	must(t, a.Append(ctx, Entry{Kind: "decision"}))
	if n, err := a.Verify(ctx); n != 5 || err != nil {
		t.Errorf("after the next entry: %d, %v", n, err)
	}
}

// Several processes append at once; one of them is killed again and again.
func TestAuditOfManyProcesses(t *testing.T) {
	t.Parallel()
	a := newAudit(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		c := start(t, "append", a.path, "20")
		go func() {
			defer wg.Done()
			for c.out.Scan() {
			}
		}()
	}
	for range 4 {
		c := start(t, "append", a.path, "0")
		c.hear(t)
		c.kill()
	}
	wg.Wait()
	if n, err := a.Verify(soon(t)); n < 64 || err != nil {
		t.Errorf("the log of 3 × 20 and some entries: %d, %v", n, err)
	}
}

func TestAuditKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	a := newAudit(t)
	secret := "correct-horse-battery"
	must(t, a.Redacting(redact.New(secret)).Append(soon(t), Entry{
		Kind: "decision", Summary: "curl -H " + secret, Note: strings.Repeat("x", 10_000) + "\xff", Reason: "a\nb\x00",
	}))
	data, err := os.ReadFile(a.path)
	must(t, err)
	if strings.Contains(string(data), secret) || len(data) > 2*maxEntryText {
		t.Errorf("the line is %d bytes: %.300s", len(data), data)
	}
	if n, err := a.Verify(soon(t)); n != 1 || err != nil {
		t.Errorf("Verify = %d, %v", n, err)
	}
}

func TestAuditWaitsForItsLock(t *testing.T) {
	t.Parallel()
	a, _ := writtenLog(t, 1)
	lock, err := durable.Lock(a.path + ".lock")
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := a.Append(ctx, Entry{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a held lock: %v", err)
	}
	must(t, lock.Unlock())
	must(t, a.Append(soon(t), Entry{}))
}

// verified returns how many lines of a log are as they were written, from its beginning.
func verified(r io.Reader) (n int, err error) {
	var c hashChain
	_, err = durable.Scan(r, maxAuditLine, func(line []byte, _ int64) error { return c.follow(line) })
	return c.n, err
}
