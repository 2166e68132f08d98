package persona

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// maxEntries bounds a listing of the agents folder.
const maxEntries = 4096

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
