package persona

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"
)

// errKind marks an entry that exists but is not of the kind that is needed.
var errKind = errors.New("not of the expected kind")

// maxEntries bounds a listing of the agents folder.
const maxEntries = 4096

// openRegular opens a regular file without ever waiting on a pipe or device: the
// name is checked before the open, the descriptor after it.
func openRegular(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: not a regular file", name, errKind)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w: not a regular file", name, errKind)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readRegular reads a whole file of at most limit bytes.
func readRegular(root *os.Root, name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := openRegular(root, name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, nil, fmt.Errorf("%s is larger than %d bytes (persona.file_bytes)", name, limit)
	}
	return data, info, nil
}

// listDir returns the names in a folder.
func listDir(root *os.Root, dir string) ([]string, error) {
	d, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(names) > maxEntries {
		return nil, fmt.Errorf("%s holds more than %d entries", dir, maxEntries)
	}
	return names, nil
}

// trim removes what the compatible contract calls white space: Unicode's, and a
// byte order mark.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
}

func isControl(r rune) bool { return unicode.IsControl(r) }
