package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/fault"
)

// disk has room for a number of bytes, shared by all its files, and fails as a
// real one does: it takes what fits and then says that it is full.
type disk struct {
	room atomic.Int64
	sync atomic.Bool // fails flushes
}

type diskFile struct {
	*os.File
	disk *disk
}

func (f diskFile) Write(b []byte) (int, error) {
	n := min(int64(len(b)), max(0, f.disk.room.Load()))
	f.disk.room.Add(-n)
	k, err := f.File.Write(b[:n])
	if err == nil && k < len(b) {
		err = &fs.PathError{Op: "write", Path: "/secret/path", Err: syscall.ENOSPC}
	}
	return k, err
}

func (f diskFile) Sync() error {
	if f.disk.sync.Load() {
		return syscall.EIO
	}
	return f.File.Sync()
}

func (d *disk) open(root *os.Root, name string) (*durable.Lines, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return durable.NewLines(diskFile{f, d})
}

// On a full disk a write is a STORAGE_FAILURE without paths, leaves nothing
// half-written, takes no sequence, and works again once there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	d := &disk{}
	d.room.Store(1 << 20)
	w := newWorld(t, func(o *Options) { o.openLines = d.open })
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 2)
	l := acquire(t, w.Store, id)
	r := open(t, w.Store, id, l.LastSeq())
	for room := range int64(150) {
		d.room.Store(room)
		before := l.LastSeq()
		_, err := l.Emit("t2", event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "some text"}},
			event.Draft{Type: event.ChatDelta, Data: event.Text{Text: strings.Repeat("x", 100)}})
		checkFull(t, err)
		if l.LastSeq() != before {
			t.Fatalf("a failed append took the sequence %d", l.LastSeq())
		}
		d.room.Store(room / 2)
		checkFull(t, l.Append(Entry{Kind: EntryTurn, Turn: "t2", Message: strings.Repeat("m", 100)}))
	}
	if got := len(l.Entries()); got != 2 {
		t.Errorf("%d entries, want 2", got)
	}
	d.room.Store(1 << 20)
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t2"}))
	last := emit(t, l, "t2", event.ProcessExit, event.Exit{}).Seq
	must(t, l.Release())
	upTo(t, r, last)

	fresh := w.store()
	l = acquire(t, fresh, id)
	if said := l.Tampered(); len(said) > 0 || l.LastSeq() != last || len(l.Entries()) != 3 {
		t.Errorf("afterwards: %q, %d events, %d entries", said, l.LastSeq(), len(l.Entries()))
	}
	must(t, l.Release())
	if problems := w.problems(id); len(problems) > 0 {
		t.Error(problems)
	}
}

func checkFull(t *testing.T, err error) {
	t.Helper()
	f := fault.From(err)
	if !errors.Is(err, syscall.ENOSPC) || f.Type != fault.StorageFailure || f.Status != 507 {
		t.Fatalf("a full disk gave %v", err)
	}
	if strings.Contains(f.Message, "/") || !strings.Contains(f.Message, "no space left") {
		t.Errorf("the message is %q", f.Message)
	}
}

// What to do next depends on why the disk took nothing.
func TestWhyNothingWasWritten(t *testing.T) {
	t.Parallel()
	for cause, next := range map[error]string{
		syscall.ENOSPC: "free disk space",
		syscall.EROFS:  "let belay write to .belay",
		syscall.EACCES: "let belay write to .belay",
		syscall.EPERM:  "let belay write to .belay",
		errLost:        "see where the project folder is now",
	} {
		f := fault.From(storage("the session could not be created", &fs.PathError{Op: "mkdir", Path: "/a/b", Err: cause}))
		if f.Type != fault.StorageFailure || !strings.HasPrefix(f.NextStep(), next) || strings.Contains(f.Message, "/a") {
			t.Errorf("%v: %+v, next: %s", cause, f, f.NextStep())
		}
	}
}

// A new segment that does not fit leaves the log as it was.
func TestFullDiskAtRotation(t *testing.T) {
	t.Parallel()
	d := &disk{}
	d.room.Store(1 << 20)
	w := newWorld(t, func(o *Options) { o.openLines, o.SegmentBytes = d.open, 300 })
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	n := int64(0)
	for range 40 {
		d.room.Store(n * 7 % 120)
		_, err := l.Emit("t", event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "twenty bytes of text"}})
		if err != nil {
			checkFull(t, err)
			d.room.Store(1 << 20)
			emit(t, l, "t", event.ChatDelta, event.Text{Text: "after"})
		}
		n++
	}
	must(t, l.Release())
	upTo(t, open(t, w.store(), id, 0), n)
	if said, err := w.Upkeep.Verify(context.Background(), id); err != nil || len(said) > 0 {
		t.Errorf("%q, %v", said, err)
	}
}

// A failed flush is told, and tried again by the next commit.
func TestFailedFlush(t *testing.T) {
	t.Parallel()
	d := &disk{}
	d.room.Store(1 << 20)
	w := newWorld(t, func(o *Options) { o.openLines = d.open })
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t"}))
	d.sync.Store(true)
	for range 2 {
		if err := l.Commit(context.Background()); !fault.Is(err, fault.StorageFailure) || !errors.Is(err, syscall.EIO) {
			t.Errorf("a failed flush gave %v", err)
		}
	}
	d.sync.Store(false)
	must(t, l.Commit(context.Background()))
	must(t, l.Release())
}
