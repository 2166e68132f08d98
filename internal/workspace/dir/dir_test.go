package dir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Every implementation does the same: what is no file or folder of the right kind
// is refused, links lead nowhere, and a file is read up to a bound.
func TestDir(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	long := strings.Repeat("0123456789", 10_000)
	for name, text := range map[string]string{"a/b/file": "text", "a/long": long, "a/empty": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink("b", filepath.Join(root, "a", "link")) == nil && os.Symlink("long", filepath.Join(root, "a", "loose")) == nil
	for name, open := range map[string]func(string) (Dir, error){"quick": Open, "portable": OpenPortable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top, err := open(root)
			if err != nil {
				t.Fatal(err)
			}
			defer top.Close()
			d, err := top.Enter("a")
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			var names []string
			if err := d.Each(make([]byte, 4096), func(name []byte, kind Kind) { names = append(names, fmt.Sprint(string(name), kind)) }); err != nil {
				t.Fatal(err)
			}
			slices.Sort(names)
			want := []string{fmt.Sprint("b", Folder), fmt.Sprint("empty", File), fmt.Sprint("long", File)}
			if links {
				want = append(want[:2:2], fmt.Sprint("link", Link), want[2], fmt.Sprint("loose", Link))
			}
			if !slices.Equal(names, want) {
				t.Errorf("entries %v, want %v", names, want)
			}
			for _, name := range []string{"none", "long", "link"} {
				if e, err := d.Enter(name); !Gone(err) && (links || name != "link") {
					t.Errorf("Enter(%s): %v, %v", name, e, err)
				}
			}
			for _, name := range []string{"none", "b", "link", "loose"} {
				if data, err := d.Read(name, nil, 10); !Gone(err) {
					t.Errorf("Read(%s): %q, %v", name, data, err)
				}
			}
			buf := make([]byte, 0, 7)
			for _, most := range []int{1, 9, len(long) - 1, len(long), len(long) + 1, 1 << 20} {
				data, err := d.Read("long", buf, most)
				if err != nil || string(data) != long[:min(most, len(long))] {
					t.Errorf("up to %d bytes: %d, %v", most, len(data), err)
				}
				if buf = data; most == len(long) {
					buf = nil
				}
			}
			if data, err := d.Read("empty", nil, 10); err != nil || len(data) != 0 {
				t.Errorf("empty: %q, %v", data, err)
			}
			if kind, size, modified := d.Stat("long"); kind != File || size != int64(len(long)) || modified == 0 {
				t.Errorf("Stat: %v, %d, %d", kind, size, modified)
			}
			if kind, _, _ := d.Stat("none"); kind != Missing {
				t.Errorf("Stat of nothing: %v", kind)
			}
			if _, err := open(filepath.Join(root, "none")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("open nothing: %v", err)
			}
		})
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	at := &os.PathError{Op: "open", Path: "/secret/place", Err: os.ErrPermission}
	for err, want := range map[error]string{
		at: "permission denied", &os.PathError{Op: "read", Path: "/secret", Err: errors.New("odd")}: "odd", ErrNotIt: "is something else",
	} {
		if got := Reason(err); got != want {
			t.Errorf("Reason(%v) = %q, want %q", err, got, want)
		}
	}
	if runtime.GOOS != "windows" && !Gone(fmt.Errorf("x: %w", os.ErrNotExist)) {
		t.Error("what is not there is not gone")
	}
}
