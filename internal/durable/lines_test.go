package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A file that was cut at any byte is reopened with exactly the lines that were
// whole, and appending goes on after them.
func TestTornTailAtEveryByte(t *testing.T) {
	t.Parallel()
	const content = "first line\n\nthird\nfourth line\n"
	root := openRoot(t)
	for cut := range len(content) + 1 {
		name := fmt.Sprint("f", cut)
		must(t, root.WriteFile(name, []byte(content[:cut]), 0o600))
		l, err := OpenLines(root, name, 0o600, EventLog)
		must(t, err)
		must(t, l.Append([]byte("after\n")))
		must(t, l.Close())
		got, err := root.ReadFile(name)
		must(t, err)
		want := content[:strings.LastIndexByte(content[:cut], '\n')+1] + "after\n"
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("cut at %d: %s", cut, diff)
		}
	}
}

func TestWholeFindsFarLineEnds(t *testing.T) {
	t.Parallel()
	for _, tail := range []int{0, 1, 4095, 4096, 4097, 20_000} {
		content := "line\n" + strings.Repeat("x", tail)
		got, err := Whole(strings.NewReader(content), int64(len(content)))
		must(t, err)
		if got != 5 {
			t.Errorf("a tail of %d: %d whole bytes, want 5", tail, got)
		}
	}
	if _, err := Whole(strings.NewReader("short"), 100); err == nil {
		t.Error("a file shorter than it says: no error")
	}
}

// fullDisk is a file on a disk with room for a number of bytes. It fails as
// Linux does: a short write first, or an error at once.
type fullDisk struct {
	Handle
	room  int
	stuck bool // truncating fails as well
}

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(len(b), d.room)
	d.room -= n
	n, err := d.Handle.Write(b[:n])
	if err == nil && n < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

func (d *fullDisk) Truncate(size int64) error {
	if d.stuck {
		return syscall.EIO
	}
	return d.Handle.Truncate(size)
}

func TestFailedAppendLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, stuck := range []bool{false, true} {
		for room := range len("second\n") {
			t.Run(fmt.Sprintf("room=%d,stuck=%v", room, stuck), func(t *testing.T) {
				t.Parallel()
				root := openRoot(t)
				inner, err := OpenLines(root, "f", 0o600, EventLog)
				must(t, err)
				disk := &fullDisk{Handle: inner.h, room: len("first\n")}
				l, err := NewLines(disk)
				must(t, err)
				must(t, l.Append([]byte("first\n")))

				disk.room, disk.stuck = room, stuck
				if err := l.Append([]byte("second\n")); !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("a full disk gave %v", err)
				}
				if l.Size() != 6 {
					t.Errorf("size %d after a failed append, want 6", l.Size())
				}
				if stuck {
					if err := l.Append([]byte("x\n")); !errors.Is(err, syscall.EIO) {
						t.Errorf("an append after bytes that cannot be cut off gave %v", err)
					}
				}
				disk.room, disk.stuck = 100, false
				must(t, l.Append([]byte("third\n")))
				must(t, l.Close())
				got, err := root.ReadFile("f")
				must(t, err)
				if diff := cmp.Diff("first\nthird\n", string(got)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestAppendRefusesHalfLines(t *testing.T) {
	t.Parallel()
	l, err := OpenLines(openRoot(t), "f", 0o600, EventLog)
	must(t, err)
	defer func() { must(t, l.Close()) }()
	if err := l.Append([]byte("no end")); err == nil {
		t.Error("no error")
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 50_000)
	content := "a\n\n" + long + "\nb\nnot ended"
	type line struct {
		Text string
		End  int64
	}
	var got []line
	whole, err := Scan(strings.NewReader(content), 100_000, func(b []byte, end int64) error {
		got = append(got, line{string(b), end})
		return nil
	})
	must(t, err)
	end := int64(3 + len(long) + 1)
	want := []line{{"a\n", 2}, {"\n", 3}, {long[:100_000], end}, {"b\n", end + 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if whole != end+2 {
		t.Errorf("%d whole bytes, want %d", whole, end+2)
	}
}

func TestScanPassesErrorsOn(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	if _, err := Scan(strings.NewReader("a\n"), 10, func([]byte, int64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the caller's error became %v", err)
	}
	r := io.MultiReader(strings.NewReader("a\nb"), failing{})
	if whole, err := Scan(r, 10, func([]byte, int64) error { return nil }); !errors.Is(err, syscall.EIO) || whole != 2 {
		t.Errorf("a failing disk gave %d, %v", whole, err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, syscall.EIO }

// Whatever the bytes are, Scan yields exactly the terminated lines, and Whole
// agrees where they end.
func FuzzScan(f *testing.F) {
	f.Add([]byte("a\nb\n"))
	f.Add([]byte("\n\n\ncut"))
	f.Add(bytes.Repeat([]byte("x"), 70_000))
	f.Fuzz(func(t *testing.T, content []byte) {
		var got []byte
		whole, err := Scan(bytes.NewReader(content), 1<<30, func(b []byte, end int64) error {
			got = append(got, b...)
			if end != int64(len(got)) || b[len(b)-1] != '\n' {
				t.Errorf("line %q ends at %d, want %d", b, end, len(got))
			}
			return nil
		})
		must(t, err)
		want := content[:bytes.LastIndexByte(content, '\n')+1]
		if !bytes.Equal(got, want) || whole != int64(len(want)) {
			t.Errorf("got %d bytes, whole %d, want %d", len(got), whole, len(want))
		}
		if w, err := Whole(bytes.NewReader(content), int64(len(content))); err != nil || w != whole {
			t.Errorf("Whole says %d, %v; Scan says %d", w, err, whole)
		}
	})
}
