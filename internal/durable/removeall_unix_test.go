//go:build unix

package durable

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// deepFolder names to a run of the test program what it removes with few open files.
const deepFolder = "DURABLE_TEST_DEEP"

// A folder is removed that is nested deeper than the process may have files open, with what
// lies beside the way and with folders that are closed to their owner. A link is not followed.
func TestRemoveDeepFolder(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(parent, "kept"), 0o700))
	must(t, os.WriteFile(filepath.Join(parent, "kept", "file"), nil, 0o600))
	root, err := os.OpenRoot(parent)
	must(t, err)
	defer root.Close()
	must(t, nest(root, "deep", 3000))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRemoveWithFewFiles$", "-test.count=1")
	cmd.Env = append(os.Environ(), deepFolder+"="+parent)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %.2000s", err, out)
	}
	if _, err := root.Stat("kept/file"); err != nil || len(names(t, root)) != 1 {
		t.Errorf("left %q, %v", names(t, root), err)
	}
}

// TestRemoveWithFewFiles is a part of the test above, in a process of its own.
func TestRemoveWithFewFiles(t *testing.T) {
	parent := os.Getenv(deepFolder)
	if parent == "" {
		t.Skip("skipped: it has nothing to remove")
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 256, Max: 256}))
	root, err := os.OpenRoot(parent)
	must(t, err)
	must(t, RemoveAll(root, "deep"))
	must(t, RemoveAll(root, "deep"))
	must(t, RemoveAll(root, "nowhere/deep"))
	if RemoveAll(root, ".") == nil || RemoveAll(root, "kept/.") == nil {
		t.Error("a folder without a name was removed")
	}
	must(t, root.Close())
}

// nest makes a folder with others inside each other. It opens one at a time: their path is
// longer than the system takes.
func nest(parent *os.Root, name string, levels int) error {
	if err := parent.Mkdir(name, 0o700); err != nil {
		return err
	}
	folder, err := parent.OpenRoot(name)
	for i := 0; err == nil && i < levels; i++ {
		var inner *os.Root
		if inner, err = deeper(folder, i); err == nil {
			err = folder.Close()
			folder = inner
		}
	}
	return errors.Join(err, folder.Close())
}

// deeper makes a folder in one that is level deep, and opens it. Some have more in them, and
// some are closed then.
func deeper(folder *os.Root, level int) (*os.Root, error) {
	if err := folder.Mkdir("d", 0o700); err != nil {
		return nil, err
	}
	inner, err := folder.OpenRoot("d")
	if err == nil && level%50 == 0 {
		err = fill(folder)
	}
	if err == nil && level%70 == 0 {
		err = folder.Chmod(".", 0)
	}
	return inner, err
}

// fill puts a file, a folder and a link out of it into a folder.
func fill(folder *os.Root) error {
	if err := folder.WriteFile("file", []byte("content"), 0o400); err != nil {
		return err
	}
	if err := folder.MkdirAll("beside/inner", 0o700); err != nil {
		return err
	}
	return folder.Symlink("../kept", "link")
}
