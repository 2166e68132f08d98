//go:build crashtest

package durable

import (
	"errors"
	"os"
	"testing"
)

// An error after the rename says that the change was made; one before it does not.
func TestUnflushed(t *testing.T) {
	defer SetHook(nil)
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	must(t, WriteFile(root, "f", []byte("old"), 0o600, Secret))
	refuse := errors.New("refused")
	for _, test := range []struct {
		verb Verb
		made bool
	}{{OpCreate, false}, {OpWrite, false}, {OpFlush, false}, {OpRename, false}, {OpFlushDir, true}} {
		must(t, root.WriteFile("f", []byte("old"), 0o600))
		SetHook(&Hook{Before: func(op Op) error {
			if op.Verb == test.verb {
				return refuse
			}
			return nil
		}})
		err := WriteFile(root, "f", []byte("new"), 0o600, Secret)
		SetHook(nil)
		got, e := root.ReadFile("f")
		must(t, e)
		want := "old"
		if test.made {
			want = "new"
		}
		if !errors.Is(err, refuse) || errors.Is(err, ErrUnflushed) != test.made || string(got) != want {
			t.Errorf("%s failed: %v, and the file is %q", test.verb, err, got)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%s failed: left are %v, %v", test.verb, left, err)
		}
	}
}
