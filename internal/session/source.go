package session

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// archive is an export as a [source].
type archive struct {
	gz   *gzip.Reader
	tar  *tar.Reader
	left *io.LimitedReader
	list map[string]string
}

// openArchive reads a tar.gz that unpacks to at most about limit bytes.
func openArchive(r io.Reader, limit int64) (*archive, error) {
	gz, err := gzip.NewReader(r)
	if err != nil {
		return nil, refused("not a gzip file: %s", reason(err))
	}
	// What tar adds around the files is bounded by their number; a quarter more
	// is plenty for a session and keeps endless padding out.
	left := &io.LimitedReader{R: gz, N: limit + limit/4 + 1<<20}
	return &archive{gz: gz, tar: tar.NewReader(left), left: left}, nil
}

func (a *archive) next() (string, io.Reader, error) {
	for {
		h, err := a.tar.Next()
		switch {
		case a.left.N <= 0:
			return "", nil, tooLarge("the archive unpacks to more than the limit")
		case errors.Is(err, io.EOF):
			if a.list == nil {
				return "", nil, refused("there is no %s: the archive is incomplete", fileSums)
			}
			return "", nil, io.EOF
		case err != nil:
			return "", nil, refused("the archive is damaged: %s", reason(err))
		case h.Typeflag == tar.TypeDir:
			continue
		case h.Typeflag != tar.TypeReg:
			return "", nil, refused("%q is not a regular file", clip(h.Name, 200))
		case a.list != nil:
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
		err = refused("the archive is damaged: %s", reason(err))
	}
	return n, err
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
	a.list = map[string]string{}
	for line := range bytes.Lines(b) {
		sha, name, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
		if !ok || !hashPattern.MatchString(sha) {
			return refused("%s has a line that is not a hash and a name", fileSums)
		}
		a.list[name] = sha
	}
	return nil
}

func (a *archive) sums() map[string]string { return a.list }
func (a *archive) Close() error            { return a.gz.Close() }

// folder is a copy of a session folder as a [source].
type folder struct {
	root  *os.Root
	blobs *os.Root // beside the sessions folder; nil when there are none
	names []string
	open  *os.File
}

func openFolder(p sessionPath) (*folder, error) {
	root, err := p.open()
	if err != nil {
		return nil, refused("the folder cannot be opened: %s", reason(err))
	}
	f := &folder{root: root, names: []string{fileRecord, fileTranscript}}
	numbers, err := listSegments(root)
	for _, n := range numbers {
		f.names = append(f.names, segmentName(n))
	}
	if err == nil && p.inProject() {
		f.blobs, err = openBlobs(p.base)
	}
	var refs map[string]bool
	if err == nil && f.blobs != nil {
		refs, err = references(root, f.blobs)
	}
	if err != nil {
		_ = f.Close() // only reading
		return nil, storage("the session folder cannot be read", err)
	}
	for _, sha := range slices.Sorted(maps.Keys(refs)) {
		f.names = append(f.names, "blobs/"+sha)
	}
	return f, nil
}

// openBlobs opens a project's blobs, nil when it has none.
func openBlobs(project string) (*os.Root, error) {
	b := Blobs{project: project}
	root, err := b.open(false)
	if missing(err) {
		return nil, nil
	}
	return root, err
}

func (f *folder) next() (string, io.Reader, error) {
	for len(f.names) > 0 {
		name := f.names[0]
		f.names = f.names[1:]
		f.closeOpen()
		var err error
		if sha, ok := blobName(name); ok {
			f.open, err = openRegular(f.blobs, sha)
		} else {
			f.open, err = openRegular(f.root, name)
		}
		if missing(err) {
			continue // a hash that is no blob, a session without a transcript
		}
		if err != nil {
			return "", nil, storage("the session folder cannot be read", err)
		}
		return path.Clean(name), f.open, nil
	}
	return "", nil, io.EOF
}

func (f *folder) sums() map[string]string { return nil }

func (f *folder) closeOpen() {
	if f.open != nil {
		_ = f.open.Close() // only reading
		f.open = nil
	}
}

func (f *folder) Close() error {
	f.closeOpen()
	err := f.root.Close()
	if f.blobs != nil {
		err = errors.Join(err, f.blobs.Close())
	}
	return err
}
