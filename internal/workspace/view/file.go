package view

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// Content is the shown part of a file of a project.
type Content struct {
	// Path is the file's, relative to the project, without links.
	Path string
	Data []byte
	// Size is the whole file's; it is more than Data where that was cut.
	Size     int64
	Modified time.Time
	// Tag names the content: its sha256, or, of a file that was cut, its size and
	// time. Equal tags mean equal data.
	Tag string
}

// Cut reports whether the file is larger than what is shown.
func (c *Content) Cut() bool { return int64(len(c.Data)) < c.Size }

// Open reads a regular file of a project, at most limit bytes of it. Name is
// relative to the project, with slashes. It fails with NOT_FOUND where there is no
// such file, where it is hidden, where a link leads to what is, or out of the
// project. Of belay's own files it reads uploads, which people sent: they look at them
// before a turn takes them.
func Open(project, name string, limit int64, hidden func(rel string) bool) (*Content, error) {
	f, err := OpenWhole(project, name, limit, hidden)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if f.Cut() {
		if f.Data, err = io.ReadAll(io.LimitReader(f.file, limit)); err != nil {
			return nil, unreadable(f.Path, err)
		}
		f.Size = max(f.Size, int64(len(f.Data)))
	}
	return &f.Content, nil
}

// Whole is a file of which any part can be read. The caller closes it.
type Whole struct {
	// Content has the file's beginning, as [Open] returns it, but of a file that is cut
	// only as much as shows its type.
	Content
	file *os.File
}

// sniffed is how much of a large file shows its type.
const sniffed = 64 << 10

// OpenWhole opens a file as [Open] does, for reading parts of it.
func OpenWhole(project, name string, limit int64, hidden func(rel string) bool) (*Whole, error) {
	rel, err := resolve(project, name)
	if err != nil || !isUpload(rel, name) && (hides(hidden, rel) || hides(hidden, name)) {
		return nil, notFound(name, "file", err)
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, notFound(name, "file", err)
	}
	defer root.Close()
	f, info, err := durable.OpenRegular(root, filepath.FromSlash(rel))
	if errors.Is(err, fs.ErrPermission) {
		return nil, fault.New(fault.WorkspaceFileReadFailed, "the file cannot be read: permission denied").With("path", rel).Because(err)
	}
	if err != nil {
		return nil, notFound(name, "file", err)
	}
	w := &Whole{Content{Path: rel, Size: info.Size(), Modified: info.ModTime()}, f}
	if err := w.begin(limit); err != nil {
		return nil, errors.Join(unreadable(rel, err), f.Close())
	}
	return w, nil
}

// begin reads the beginning and names the content.
func (w *Whole) begin(limit int64) (err error) {
	if w.Size > limit {
		w.Data, err = io.ReadAll(io.NewSectionReader(w.file, 0, min(limit, sniffed)))
		w.Tag = fmt.Sprintf("%s-%s", strconv.FormatInt(w.Size, 36), strconv.FormatInt(w.Modified.UnixNano(), 36))
		return err
	}
	// What is added meanwhile is not looked at: the size is that of the moment of opening.
	w.Data, err = io.ReadAll(io.NewSectionReader(w.file, 0, w.Size))
	w.Size = int64(len(w.Data))
	sum := sha256.Sum256(w.Data)
	w.Tag = hex.EncodeToString(sum[:])
	return err
}

// Part reads n bytes from an offset on.
func (w *Whole) Part(offset, n int64) io.Reader {
	if !w.Cut() {
		return bytes.NewReader(w.Data[offset : offset+n])
	}
	return io.NewSectionReader(w.file, offset, n)
}

// Close closes the file.
func (w *Whole) Close() error { return w.file.Close() }

func unreadable(rel string, err error) error {
	return fault.New(fault.WorkspaceFileReadFailed, "the file cannot be read to its end").With("path", rel).Because(err)
}

// upload are the paths of whole uploads; unfinished ones begin with a point.
var upload = lazyregexp.New(`^\.belay/uploads/[^./][^/]*/[^./][^/]*$`)

// isUpload reports whether a name is an upload's, and no link leads from or to it.
func isUpload(rel, name string) bool { return rel == name && upload.MatchString(rel) }

var errOutside = errors.New("leads out of the project")

// resolve is what a name really leads to, relative to the project, with slashes.
func resolve(project, name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", errOutside
	}
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return "", err
	}
	full, err := filepath.EvalSymlinks(filepath.Join(real, filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(real, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errors.Join(errOutside, err)
	}
	return filepath.ToSlash(rel), nil
}
