package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"belay/internal/event"
	"belay/internal/fault"
)

// Covers: turn-api REQ-11
func TestOneLeaseAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	stores := []*Store{w.Store, w.store()} // one process and, as far as locks go, another
	var held, won atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				l, err := stores[i%2].Acquire(context.Background(), id)
				if err != nil {
					if !errors.Is(err, ErrBusy) || !fault.Is(err, fault.TurnInProgress) {
						t.Error(err)
					}
					continue
				}
				won.Add(1)
				if held.Add(1) != 1 {
					t.Error("two hold the lease")
				}
				if _, err := l.Emit("t", event.Draft{Type: event.ChatDelta}); err != nil {
					t.Error(err)
				}
				held.Add(-1)
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if _, last, err := w.Bounds(context.Background(), id); err != nil || last != won.Load() || last == 0 {
		t.Errorf("%d leases emitted %d events, %v", won.Load(), last, err)
	}
	upTo(t, open(t, w.Store, id, 0), won.Load())
}

// Covers: turn-api REQ-11
func TestTwoProcessesContend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	c := startChild(t, w, "hold", id)
	c.expect(t, "ready")
	if _, err := w.Acquire(context.Background(), id); !errors.Is(err, ErrBusy) {
		t.Fatalf("the lease of another process gave %v", err)
	}
	if turn, pid, ok := w.Signals.Running(id); !ok || turn != "theirs" || pid != c.cmd.Process.Pid {
		t.Errorf("running: %q in %d, %v; want theirs in %d", turn, pid, ok, c.cmd.Process.Pid)
	}
	c.kill()
	if _, _, ok := w.Signals.Running(id); ok {
		t.Error("a killed process is still running its turn")
	}
	l := acquire(t, w.Store, id)
	second := startChild(t, w, "hold", id)
	if got := second.hear(t); !strings.HasPrefix(got, "refused TURN_IN_PROGRESS") {
		t.Errorf("the other process said %q", got)
	}
	must(t, l.Release())
}

// A process is killed while it appends, again and again: the files are whole,
// sequences dense, the lease free, and the next turn works.
func TestKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.SegmentBytes = 64 << 10 })
	id := w.session().SessionID
	reader := open(t, w.store(), id, 0)
	var seen int64
	for round := range 6 {
		c := startChild(t, w, "append", id)
		c.expect(t, "ready")
		// The wait only spreads the kills over the child's work.
		time.Sleep(time.Duration(round*7) * time.Millisecond)
		c.kill()
		for _, name := range logFiles(t, w, id) {
			_ = name // cut last lines may be there until the next lease
		}
		l := acquire(t, w.Store, id)
		if said := l.Tampered(); len(said) > 0 {
			t.Errorf("a crash looks like tampering: %q", said)
		}
		if dangling, ok := l.DanglingTurn(); ok {
			emit(t, l, dangling, event.ProcessExit, event.Exit{ExitCode: 1})
		}
		last := l.LastSeq()
		must(t, l.Release())
		for _, name := range logFiles(t, w, id) {
			if b := read(t, name); len(b) > 0 && b[len(b)-1] != '\n' {
				t.Errorf("%s ends in the middle of a line", name)
			}
		}
		evs := upTo(t, reader, last)
		if last < seen+20 || len(evs) == 0 || !evs[len(evs)-1].Ends() {
			t.Errorf("round %d: the log went from %d to %d", round, seen, last)
		}
		seen = last
		turn(t, w.Store, id, fmt.Sprint("mine", round), 2)
	}
	if problems := w.problems(id); len(problems) > 0 {
		t.Errorf("problems %v", problems)
	}
	if said, err := w.Upkeep.Verify(context.Background(), id); err != nil || len(said) > 0 {
		t.Errorf("verify: %q, %v", said, err)
	}
}

// A writer dies after it finished a segment and before it began the next: the
// log goes on in that one, which is no tampering.
func TestKillBetweenSegments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "one", 2)
	l := acquire(t, w.Store, id)
	must(t, l.state.changeSegmentHashes(func(k segmentHashes) {
		k[strconv.Itoa(l.state.log.activeSegment())] = l.state.log.active.position()
	}))
	must(t, l.Release())
	other := w.store() // which was not there
	turn(t, other, id, "two", 2)
	if said, err := other.Upkeep.Verify(context.Background(), id); err != nil || len(said) > 0 {
		t.Errorf("verify: %q, %v", said, err)
	}
}

func logFiles(t testing.TB, w *world, id string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(w.folder(id), "log", "*.jsonl"))
	must(t, err)
	return append(names, filepath.Join(w.folder(id), "transcript.jsonl"))
}

// Transcript and log cut at any byte open with their whole lines, and a reader
// in another process never sees the half one.
func TestTornTails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 1)
	transcript, log := filepath.Join(w.folder(id), "transcript.jsonl"), filepath.Join(w.folder(id), "log", "0001.jsonl")
	wholeScript, wholeLog := read(t, transcript), read(t, log)
	for cut := 0; cut < len(wholeLog); cut += 3 {
		scriptCut := min(bytes.IndexByte(wholeScript, '\n')+1+cut, len(wholeScript)) // the first line says when it was written
		must(t, os.WriteFile(transcript, wholeScript[:scriptCut], 0o600))
		must(t, os.WriteFile(log, wholeLog[:cut], 0o600))
		must(t, os.Remove(filepath.Join(w.o.StateDir, "locks", id+".lock"))) // nothing is known of them
		s, err := NewStore(w.o)
		must(t, err)
		lines, entries := max(0, int64(bytes.Count(wholeLog[:cut], []byte("\n")))-1), bytes.Count(wholeScript[:scriptCut], []byte("\n"))-1
		if _, last, err := s.Bounds(context.Background(), id); err != nil || last != lines {
			t.Fatalf("cut at %d: a reader sees %d events, %v; want %d", cut, last, err, lines)
		}
		l := acquire(t, s, id)
		if len(l.Entries()) != entries || l.LastSeq() != lines {
			t.Errorf("cut at %d: %d entries and %d events, want %d and %d", cut, len(l.Entries()), l.LastSeq(), entries, lines)
		}
		if _, ok := l.DanglingTurn(); ok != (lines > 0) { // the exit is never whole
			t.Errorf("cut at %d: dangling %v", cut, ok)
		}
		emit(t, l, "t2", event.ProcessExit, event.Exit{})
		must(t, l.Release())
		upTo(t, open(t, s, id, 0), lines+1)
		must(t, s.Close())
	}
}

func TestLeaseKeepsTheRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Clock = fakeClock() })
	rec := w.session()
	l := acquire(t, w.Store, rec.SessionID)
	must(t, l.Update(func(r *Record) {
		r.SessionID, r.ProjectRoot, r.CreatedAt = "other", "/elsewhere", Time{}
		r.Model, r.ReadOnly = "m", true
	}))
	want := rec
	want.Model = "m"
	ignore := cmpopts.IgnoreFields(Record{}, "UpdatedAt")
	must(t, l.Release())
	for _, s := range []*Store{w.Store, w.store()} {
		got, err := s.Get(context.Background(), rec.SessionID)
		must(t, err)
		if diff := cmp.Diff(want, got, ignore, cmpopts.IgnoreFields(Record{}, "ReadOnly")); diff != "" {
			t.Error(diff)
		}
		if !got.UpdatedAt.After(rec.UpdatedAt.Time) {
			t.Errorf("updated at %v, created at %v", got.UpdatedAt, rec.UpdatedAt)
		}
	}
	for name, err := range map[string]error{
		"append": l.Append(Entry{Kind: EntryTurn}), "update": l.Update(func(*Record) {}), "begin": l.Begin("t"),
		"commit": l.Commit(context.Background()), "emit": second(l.Emit("t", event.Draft{Type: event.Usage})),
	} {
		if !errors.Is(err, ErrReleased) {
			t.Errorf("%s after release gave %v", name, err)
		}
	}
	must(t, l.Release())
}

func second[T any](_ T, err error) error { return err }

// What another process wrote is there at the next lease.
func TestLeaseSeesOthersWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.SegmentBytes = 700 })
	id := w.session().SessionID
	other := w.store()
	for n := range 6 {
		s := []*Store{w.Store, other}[n%2]
		l := acquire(t, s, id)
		if len(l.Entries()) != 2*n || l.LastSeq() != int64(4*n) || len(l.Tampered()) > 0 {
			t.Fatalf("turn %d: %d entries, %d events, %q", n, len(l.Entries()), l.LastSeq(), l.Tampered())
		}
		must(t, l.Release())
		turn(t, s, id, fmt.Sprint("t", n), 2)
	}
}

func TestTampering(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"nothing": {func(*testing.T, string) {}, ""},
		"transcript edited": {func(t *testing.T, dir string) {
			f := filepath.Join(dir, "transcript.jsonl")
			must(t, os.WriteFile(f, bytes.Replace(read(t, f), []byte("hello"), []byte("jello"), 1), 0o600))
		}, "transcript.jsonl was changed since belay last wrote it"},
		"transcript cut": {func(t *testing.T, dir string) {
			must(t, os.Truncate(filepath.Join(dir, "transcript.jsonl"), 10))
		}, "transcript.jsonl was shortened"},
		"transcript gone": {func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "transcript.jsonl")))
		}, "transcript.jsonl is missing"},
		"log edited": {func(t *testing.T, dir string) {
			f := newest(t, dir)
			must(t, os.WriteFile(f, bytes.Replace(read(t, f), []byte("word"), []byte("sword"), 1), 0o600))
		}, "was changed since belay last wrote it"},
		"log segment gone": {func(t *testing.T, dir string) { must(t, os.Remove(newest(t, dir))) }, "is missing"},
		"old segment cut":  {func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "log", "0001.jsonl"), 5)) }, "log/0001.jsonl was shortened"},
		"all of the log gone": {func(t *testing.T, dir string) {
			must(t, os.RemoveAll(filepath.Join(dir, "log")))
		}, "is missing"},
		"line added": {func(t *testing.T, dir string) {
			extend(t, filepath.Join(dir, "transcript.jsonl"), `{"kind":"turn","turn":"x","time":"2026-01-01T00:00:00.000Z"}`+"\n")
		}, "transcript.jsonl was extended"},
		"half a line added": {func(t *testing.T, dir string) {
			extend(t, filepath.Join(dir, "transcript.jsonl"), `{"kind":"turn","tu`)
		}, "transcript.jsonl was extended"},
		"event with a sequence beyond all counting": {func(t *testing.T, dir string) {
			extend(t, newest(t, dir), `{"seq":9223372036854775807,"turn":"x","time":"2026-01-01T00:00:00Z","type":"chat:delta","data":{}}`+"\n")
		}, "was extended"},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/warm=%v", name, warm), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, func(o *Options) { o.SegmentBytes = 900 })
				id := w.session().SessionID
				turn(t, w.Store, id, "t1", 20)
				s := w.Store
				if !warm {
					s = w.store()
				}
				test.change(t, w.folder(id))
				l := acquire(t, s, id)
				said := strings.Join(l.Tampered(), "; ")
				want := test.want
				if warm && name == "old segment cut" {
					want = "" // only Verify and the next process look at those again
				}
				if (said == "") != (want == "") || !strings.Contains(said, want) {
					t.Errorf("said %q, want %q", said, want)
				}
				if l.LastSeq() != 22 {
					t.Errorf("the last sequence is %d, want 22: none may be given twice", l.LastSeq())
				}
				must(t, l.Release())
				if want != "" { // it is not reported yet, in other processes neither
					l = acquire(t, w.store(), id)
					if len(l.Tampered()) == 0 {
						t.Error("it is forgotten")
					}
					must(t, l.Reported())
					raw, err := os.ReadFile(s.lockPath(id))
					must(t, err)
					if n, ok := decodeNote(raw); !ok || n.Unreported { // the process may die now
						t.Errorf("reported, and the note does not have it: %q", raw)
					}
					must(t, l.Release())
				}
				turn(t, s, id, "t2", 3) // the session goes on, and says it once
				l = acquire(t, s, id)
				if said := l.Tampered(); len(said) > 0 && !strings.Contains(name, "old segment") && !strings.Contains(name, "gone") {
					t.Errorf("said again: %q", said)
				}
				must(t, l.Release())
			})
		}
	}
}

// A turn that died before its release leaves lines that nobody else wrote.
func TestLinesOfACrashAreNoTampering(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 3)
	l := acquire(t, w.Store, id)
	must(t, l.Begin("t2"))
	note := read(t, w.Store.lockPath(id))
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t2"}))
	must(t, l.Release())
	must(t, os.WriteFile(w.Store.lockPath(id), note, 0o600)) // as if it had not come to its release
	next := acquire(t, w.store(), id)
	if said := next.Tampered(); len(said) > 0 {
		t.Errorf("said %q", said)
	}
	must(t, next.Release())
}

// Writing to a file that has lost its name succeeds, but nobody will find it.
func TestCommitOfARemovedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 1)
	l := acquire(t, w.Store, id)
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t2"}))
	must(t, os.Rename(w.folder(id), w.folder(id)+"-away"))
	if err := l.Commit(t.Context()); !fault.Is(err, fault.StorageFailure) || !errors.Is(err, errLost) {
		t.Errorf("commit gave %v, want STORAGE_FAILURE", err)
	}
	must(t, os.Rename(w.folder(id)+"-away", w.folder(id)))
	must(t, l.Append(Entry{Kind: EntryEnd, Turn: "t2"}))
	must(t, l.Commit(t.Context()))
	must(t, l.Release())
}

// extend appends to a file behind belay's back, making it when it is not there.
func extend(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, errors.Join(err, f.Close()))
}

// newest is the last log segment.
func newest(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "log", "*.jsonl"))
	must(t, err)
	return names[len(names)-1]
}

// An old segment's bytes are only read when asked.
func TestVerifyReadsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.SegmentBytes = 900 })
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 20)
	if said, err := w.Upkeep.Verify(context.Background(), id); err != nil || len(said) > 0 {
		t.Fatalf("an untouched session: %q, %v", said, err)
	}
	f := filepath.Join(w.folder(id), "log", "0001.jsonl")
	must(t, os.WriteFile(f, bytes.Replace(read(t, f), []byte("word"), []byte("worm"), 1), 0o600))
	said, err := w.Upkeep.Verify(context.Background(), id)
	must(t, err)
	if diff := cmp.Diff([]string{"log/0001.jsonl was changed since belay last wrote it"}, said); diff != "" {
		t.Error(diff)
	}
}

// A malformed line in the middle stays in the file, is left out, and is told.
func TestMalformedLinesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 1)
	transcript, log := filepath.Join(w.folder(id), "transcript.jsonl"), filepath.Join(w.folder(id), "log", "0001.jsonl")
	for _, f := range []string{transcript, log} {
		lines := bytes.SplitAfterN(read(t, f), []byte("\n"), 2)
		must(t, os.WriteFile(f, bytes.Join([][]byte{lines[0], []byte("garbage\n"), lines[1]}, nil), 0o600))
	}
	s := w.store()
	turn(t, s, id, "t2", 1)
	entries, err := s.Transcript(context.Background(), id)
	must(t, err)
	if len(entries) != 4 {
		t.Errorf("%d entries, want 4", len(entries))
	}
	upTo(t, open(t, s, id, 0), 6)
	problems := w.problems(id)
	if len(problems) != 2 || problems[0].File != "transcript.jsonl" || !strings.HasPrefix(problems[1].Text, "line 2 is left out") {
		t.Errorf("problems %+v", problems)
	}
	if !bytes.Contains(read(t, transcript), []byte("garbage\n")) {
		t.Error("the malformed line was dropped from the file")
	}
}

// While a session is warm it is not read again; idle, it leaves memory and its
// files are closed.
func TestIdleSessionsLeaveMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.IdleClose = 20 * time.Millisecond })
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 3)
	reader := open(t, w.Store, id, 0)
	eventually(t, "the lease is idle but its reader stays", func() bool { return w.inMemory(id) })
	upTo(t, reader, 5)
	must(t, reader.Close())
	eventually(t, "the session has left memory", func() bool { return !w.inMemory(id) })
	turn(t, w.Store, id, "t2", 3)
	if entries, err := w.Transcript(context.Background(), id); err != nil || len(entries) != 4 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

// However many come and go within the time, only so many keep their files open: the
// ones that were used last, and all that are used.
func TestManyIdleSessions(t *testing.T) {
	t.Parallel()
	const most = 8
	w := newWorld(t, func(o *Options) { o.IdleMax, o.IdleClose = most, time.Hour })
	first := w.session().SessionID
	turn(t, w.Store, first, "t1", 3)
	reader := open(t, w.Store, first, 0)
	defer reader.Close()
	var ids []string
	for range 5 * most {
		id := w.session().SessionID
		turn(t, w.Store, id, "t1", 3)
		ids = append(ids, id)
		w.states.mu.Lock()
		n := len(w.states.all)
		w.states.mu.Unlock()
		if n > most+1 {
			t.Fatalf("after %d sessions %d are in memory", len(ids), n)
		}
		if len(ids) > 1 {
			turn(t, w.Store, ids[0], "t", 1) // it stays, because it is used again
		}
	}
	for _, id := range append(ids[len(ids)-most+1:], first, ids[0]) {
		if !w.inMemory(id) {
			t.Errorf("%s has left memory: only those used longest ago are to", id)
		}
	}
	if w.inMemory(ids[1]) {
		t.Error("a session that was used long ago has stayed in memory")
	}
	if entries, err := w.Transcript(t.Context(), first); err != nil || len(entries) != 2 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func (w *world) inMemory(id string) bool {
	w.states.mu.Lock()
	defer w.states.mu.Unlock()
	return w.states.all[id] != nil
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("waited in vain until %s", what)
}

func TestNote(t *testing.T) {
	t.Parallel()
	n := note{PID: 1 << 22, Turn: strings.Repeat("t", 80), LastSeq: 1 << 60, Segment: 9999,
		Transcript: position{1 << 60, strings.Repeat("a", 64)}, Log: position{1 << 60, strings.Repeat("b", 64)}}
	raw, err := n.encode()
	must(t, err)
	got, ok := decodeNote(raw)
	if diff := cmp.Diff(n, got); diff != "" || !ok {
		t.Error(ok, diff)
	}
	for i := range raw { // a torn or spoilt note is no note
		spoilt := bytes.Clone(raw)
		spoilt[i] ^= 0x15
		if _, ok := decodeNote(spoilt); ok && !bytes.Equal(bytes.TrimRight(spoilt[9:], " \n"), bytes.TrimRight(raw[9:], " \n")) {
			t.Errorf("a change of byte %d was not noticed", i)
		}
	}
	if _, err := (note{Turn: strings.Repeat("t", noteSize)}).encode(); err == nil {
		t.Error("a note over its size: no error")
	}
	var pathErr *fs.PathError
	if errors.As(storage("x", &fs.PathError{Op: "open", Path: "/secret", Err: fs.ErrPermission}), &pathErr); pathErr == nil {
		t.Error("the cause is lost")
	}
}

// Anyone who removes a lock file under a running turn lets another process in. The
// turn notices before it adds to a record that is not its own any more.
//
// Covers: turn-api REQ-11
func TestLockFileRemoved(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open file keeps its name there")
	}
	ctx := context.Background()
	writes := map[string]func(l *Lease) error{
		"append": func(l *Lease) error { return l.Append(Entry{Kind: EntryEnd, Turn: "first"}) },
		"update": func(l *Lease) error { return l.Update(func(r *Record) { r.Model = "theirs" }) },
		"commit": func(l *Lease) error { return l.Commit(ctx) },
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.session().SessionID
			first := acquire(t, w.Store, id)
			must(t, first.Begin("first"))
			must(t, first.Append(Entry{Kind: EntryTurn, Turn: "first"}))
			must(t, os.Remove(w.lockPath(id)))
			other := w.store()
			second := acquire(t, other, id)
			if err := write(first); !errors.Is(err, ErrLockLost) || !fault.Is(err, fault.StorageFailure) {
				t.Fatalf("%s without a lock: %v", name, err)
			}
			if _, err := first.Emit("first", event.Draft{Type: event.ChatDelta}); !errors.Is(err, ErrLockLost) {
				t.Errorf("emit after that: %v", err)
			}
			must(t, first.Release())
			must(t, second.Append(Entry{Kind: EntryEnd, Turn: "first"}))
			must(t, second.Release())
			again := acquire(t, w.Store, id)
			if got := again.Entries(); len(got) != 2 || len(again.Tampered()) != 0 {
				t.Errorf("%d entries, %v", len(got), again.Tampered())
			}
			must(t, again.Release())
		})
	}
}

// Requests are in the file and not in memory: anyone who asks for the transcript gets
// them, before and after the session left memory.
func TestRequestsAreNotKeptInMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	all := []Entry{
		{Kind: EntryTurn, Turn: "t1", Message: "hello"}, {Kind: EntryRequest, Turn: "t1", Manifest: &Manifest{Turn: "t1", Model: "m"}},
		{Kind: EntryAssistant, Turn: "t1"}, {Kind: EntryEnd, Turn: "t1"},
	}
	if err := l.Append(all[:2]...); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(all[2:]...); err != nil {
		t.Fatal(err)
	}
	kinds := func(entries []Entry, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		var s []string
		for _, e := range entries {
			s = append(s, string(e.Kind))
			if e.Kind == EntryRequest && (e.Manifest == nil || e.Manifest.Model != "m") {
				t.Errorf("the request is %+v", e)
			}
		}
		return strings.Join(s, " ")
	}
	check := func(s *Store) {
		t.Helper()
		if got := kinds(s.Transcript(t.Context(), id)); got != "turn request assistant end" {
			t.Errorf("transcript: %s", got)
		}
		if got := kinds(s.Entries(t.Context(), id)); got != "turn assistant end" {
			t.Errorf("entries: %s", got)
		}
	}
	if got := kinds(l.Entries(), nil); got != "turn assistant end" {
		t.Errorf("the lease's entries: %s", got)
	}
	check(w.Store)
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	check(w.Store)
	check(w.store())
}

// The file of a lock that rests is closed with the session.
func TestRestingLocksAreClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := acquire(t, w.Store, w.session().SessionID)
	lock := l.lock.File()
	must(t, l.Release())
	if _, err := lock.Stat(); err != nil {
		t.Errorf("a lock that rests: %v", err)
	}
	must(t, w.Store.Close())
	if _, err := lock.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("once the store is closed: %v", err)
	}
}

// A lock that could not be freed is not the next lease's: that takes a new one.
func TestLockThatCannotRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.lock.Close())
	if err := l.Release(); err == nil {
		t.Error("a lock that is closed was written and freed")
	}
	must(t, acquire(t, w.Store, id).Release())
}
