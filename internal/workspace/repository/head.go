package repository

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
)

const (
	// maxRefs is how many references may lead to each other.
	maxRefs = 5
	// maxPackedRefs caps the file of references, in bytes.
	maxPackedRefs = 16 << 20
	// maxRead is how many bytes of objects one reader reads at most.
	maxRead = 128 << 20
)

// Objects opens the repository's objects for one goroutine, at most 128 MiB of them. The
// caller calls done.
func (r *Repository) Objects() (o *Objects, done func(), err error) {
	o = NewObjects(2 * r.id)
	done = func() {
		for _, root := range o.stores {
			_ = root.Close() // it was only read
		}
	}
	for _, store := range r.stores {
		root, err := os.OpenRoot(store)
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("open the repository's objects: %w", err)
		}
		o.stores = append(o.stores, root)
	}
	return o, done, nil
}

// Head is the id of the commit that is checked out, "" where there is none yet. References
// are files of the git folder and of packed-refs; those of other formats are an error.
func (r *Repository) Head() (string, error) {
	line, err := pointer(filepath.Join(r.dir, "HEAD"))
	for range maxRefs {
		if err != nil {
			return "", fmt.Errorf("read what is checked out: %w", err)
		}
		name, symbolic := strings.CutPrefix(line, "ref:")
		if !symbolic {
			if id := strings.ToLower(strings.TrimSpace(line)); len(id) == 2*r.id && strings.Trim(id, "0123456789abcdef") == "" {
				return id, nil
			}
			return "", fmt.Errorf("read what is checked out: HEAD %w", errDamaged)
		}
		name = strings.TrimSpace(name)
		if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) {
			return "", fmt.Errorf("read what is checked out: HEAD %w", errDamaged)
		}
		if _, err := os.Stat(filepath.Join(r.common, "reftable")); err == nil {
			return "", errors.New("read what is checked out: the repository keeps its references as a reftable, which belay does not read")
		}
		if line, err = r.reference(name); err == nil && line == "" {
			return "", nil
		}
	}
	return "", fmt.Errorf("read what is checked out: HEAD %w", errDamaged)
}

// reference is what a reference holds, "" where there is none of that name.
func (r *Repository) reference(name string) (string, error) {
	for _, dir := range []string{r.dir, r.common} {
		line, err := pointer(filepath.Join(dir, filepath.FromSlash(name)))
		if !errors.Is(err, fs.ErrNotExist) {
			return line, err
		}
	}
	data, _, err := durable.ReadFile(nil, filepath.Join(r.common, "packed-refs"), maxPackedRefs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		id, of, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if of == name {
			return id, nil
		}
	}
	return "", nil
}
