package scaffold

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/durable"
)

// tempPrefix begins the names of files that a run has not finished. Runs on one
// root exclude each other, so one that is found was left by a crash.
const tempPrefix = durable.TempPrefix + "scaffold-"

func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// makeFolder makes a folder that is not there and reports whether it did. What is
// no folder is in the way.
func makeFolder(dir *os.Root, name string) (bool, error) {
	err := durable.Mkdir(dir, name, 0o777)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	info, err := dir.Stat(name)
	if err != nil || !info.IsDir() {
		return false, errors.Join(errInTheWay, err)
	}
	return false, nil
}

// makeFile makes a file that is not there and reports whether it did. The name
// appears when its bytes are on disk; whatever has the name stays.
func makeFile(dir *os.Root, name string, data []byte) (bool, error) {
	d, err := newDraft(dir, name, data)
	if err != nil || d == nil {
		return false, err
	}
	return d.publish(d.file.Sync())
}

// draft is a file that has its content, and not yet its name.
type draft struct {
	dir        *os.Root
	file       *durable.Writer
	temp, name string
}

// newDraft writes a draft of name; it is nil where the name is taken. Publish ends
// it.
func newDraft(dir *os.Root, name string, data []byte) (*draft, error) {
	if _, err := dir.Lstat(name); err == nil {
		return nil, nil
	}
	d := &draft{dir: dir, name: name, temp: path.Join(path.Dir(name), tempPrefix+rand.Text())}
	var err error
	if d.file, err = durable.Create(dir, d.temp, 0o666, durable.ProjectFile); err != nil {
		return nil, err
	}
	if _, err := d.file.Write(data); err != nil {
		_, err := d.publish(err)
		return nil, err
	}
	return d, nil
}

// publish gives the draft its name, unless that is taken, and reports whether it
// did. An err of what went before is returned when the draft is gone.
func (d *draft) publish(err error) (bool, error) {
	if e := d.file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = durable.Link(d.dir, d.temp, d.name)
	}
	switch {
	case err == nil || errors.Is(err, fs.ErrExist):
		return err == nil, durable.Remove(d.dir, d.temp)
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission):
		// A file system without links. Only another program could take the name
		// between these two calls.
		if _, taken := d.dir.Lstat(d.name); errors.Is(taken, fs.ErrNotExist) && durable.Rename(d.dir, d.temp, d.name) == nil {
			return true, nil
		}
	}
	_ = durable.Remove(d.dir, d.temp) // the first error is the one to report
	return false, err
}

// sorted are the keys of a set, in order.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
