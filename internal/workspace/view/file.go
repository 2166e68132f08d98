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
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/workspace"
)

// Opened is a file of a project of which any part can be read. The caller closes it.
type Opened struct {
	// Path is the file's, relative to the project, without links.
	Path string
	// Data is the content, of a file that is cut only as much as shows its type.
	Data []byte
	// Size is the whole file's; it is more than Data where that was cut.
	Size     int64
	Modified time.Time
	// Tag names the content: its sha256, or, of a file that was cut, its size and
	// time. Equal tags mean equal data.
	Tag string

	file *os.File
}

// Cut reports whether the file is larger than what is shown.
func (f *Opened) Cut() bool { return int64(len(f.Data)) < f.Size }

// sniffed is how much of a large file shows its type.
const sniffed = 64 << 10

// Open opens a regular file of a project; one of more than limit bytes is cut. Name is
// relative to the project, with slashes. It fails with NOT_FOUND where there is no
// such file, where it is hidden, where a link leads to what is, or out of the
// project. Of belay's own files it reads uploads, which people sent: they look at them
// before a turn takes them.
func Open(project, name string, limit int64, hidden func(rel string) bool) (*Opened, error) {
	rel, err := resolve(project, name)
	if err != nil || strings.HasSuffix(name, "/") || !isUpload(rel, name) && (hides(hidden, rel) || hides(hidden, name)) {
		return nil, notFound(name, "file", err)
	}
	root, err := workspace.OpenProject(project)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := durable.OpenRegular(root, filepath.FromSlash(rel))
	if errors.Is(err, fs.ErrPermission) {
		return nil, fault.New(fault.WorkspaceFileReadFailed, "the file cannot be read: permission denied").With("path", rel).Because(err)
	}
	if err != nil {
		return nil, notFound(name, "file", err)
	}
	w := &Opened{Path: rel, Size: info.Size(), Modified: info.ModTime(), file: f}
	if err := w.begin(limit); err != nil {
		return nil, errors.Join(unreadable(rel, err), f.Close())
	}
	return w, nil
}

// begin reads the beginning and names the content.
func (f *Opened) begin(limit int64) (err error) {
	if f.Size > limit {
		f.Data, err = io.ReadAll(io.NewSectionReader(f.file, 0, min(limit, sniffed)))
		f.Tag = fmt.Sprintf("%s-%s", strconv.FormatInt(f.Size, 36), strconv.FormatInt(f.Modified.UnixNano(), 36))
		return err
	}
	// What is added meanwhile is not looked at: the size is that of the moment of opening.
	f.Data, err = io.ReadAll(io.NewSectionReader(f.file, 0, f.Size))
	f.Size = int64(len(f.Data))
	sum := sha256.Sum256(f.Data)
	f.Tag = hex.EncodeToString(sum[:])
	return err
}

// Part reads n bytes from an offset on.
func (f *Opened) Part(offset, n int64) io.Reader {
	if !f.Cut() {
		return bytes.NewReader(f.Data[offset : offset+n])
	}
	return io.NewSectionReader(f.file, offset, n)
}

// Close closes the file.
func (f *Opened) Close() error { return f.file.Close() }

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
