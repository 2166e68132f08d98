package session

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"

	"belay/internal/fault"
)

// archive yields the files of an export, each once.
type archive struct {
	src  io.Closer
	tar  *tar.Reader
	left *io.LimitedReader
	sums map[string]string // recorded, once they were read
}

// openArchive reads a tar.gz that unpacks to at most about limit bytes.
func openArchive(r io.Reader, limit int64) (*archive, error) {
	gz, err := gzip.NewReader(r)
	if err != nil {
		return nil, refused("not a gzip file: %s", reason(err))
	}
	return newArchive(gz, limit), nil
}

// newArchive reads a tar of at most about limit bytes, and closes it at the end.
func newArchive(r io.ReadCloser, limit int64) *archive {
	// What tar adds around the files is bounded by their number; a quarter more
	// is plenty for a session and keeps endless padding out.
	left := &io.LimitedReader{R: r, N: limit + limit/4 + 1<<20}
	return &archive{src: r, tar: tar.NewReader(left), left: left}
}

// next returns the next file, io.EOF after the last.
func (a *archive) next() (string, io.Reader, error) {
	for {
		h, err := a.tar.Next()
		switch {
		case a.left.N <= 0:
			return "", nil, tooLarge("the archive unpacks to more than the limit")
		case errors.Is(err, io.EOF):
			if a.sums == nil {
				return "", nil, refused("there is no %s: the archive is incomplete", fileSums)
			}
			// The tar ends before what it came in: a bad checksum, or a reader that refuses
			// what follows, shows at the end.
			if _, err := io.Copy(io.Discard, a.left); err != nil {
				return "", nil, damage(err)
			}
			return "", nil, io.EOF
		case err != nil:
			return "", nil, damage(err)
		case h.Typeflag == tar.TypeDir:
			continue
		case h.Typeflag != tar.TypeReg:
			return "", nil, refused("%q is not a regular file", clip(h.Name, 200))
		case a.sums != nil:
			return "", nil, refused("%q comes after %s", clip(h.Name, 200), fileSums)
		}
		name := strings.TrimPrefix(h.Name, "./")
		if name != fileSums {
			return name, damaged{a.tar}, nil
		}
		if err := a.readSums(); err != nil {
			return "", nil, err
		}
	}
}

// damaged turns an error of an archive's content into a refusal.
type damaged struct{ r io.Reader }

func (d damaged) Read(b []byte) (int, error) {
	n, err := d.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damage(err)
	}
	return n, err
}

// damage is the error for an archive that cannot be read to its end. Where it is made of a
// folder at the moment, that may have an error of its own.
func damage(err error) error {
	var f *fault.Error
	if errors.As(err, &f) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return refused("the archive is damaged: %s", reason(err))
}

// readSums reads lines of a hash, two spaces and a name.
func (a *archive) readSums() error {
	b, err := io.ReadAll(io.LimitReader(a.tar, 8<<20+1))
	if err == nil && len(b) > 8<<20 {
		err = errors.New("it is too large")
	}
	if err != nil {
		return refused("%s cannot be read: %s", fileSums, reason(err))
	}
	a.sums = map[string]string{}
	for line := range bytes.Lines(b) {
		sha, name, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
		if !ok || !hashPattern.MatchString(sha) {
			return refused("%s has a line that is not a hash and a name", fileSums)
		}
		a.sums[name] = sha
	}
	return nil
}
