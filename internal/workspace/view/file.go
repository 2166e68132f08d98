package view

import (
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
		return nil, fault.New(fault.WorkspaceFileReadFailed, "the file can not be read: permission denied").With("path", rel).Because(err)
	}
	if err != nil {
		return nil, notFound(name, "file", err)
	}
	defer f.Close()
	c := &Content{Path: rel, Size: info.Size(), Modified: info.ModTime()}
	if c.Data, err = io.ReadAll(io.LimitReader(f, limit)); err != nil {
		return nil, fault.New(fault.WorkspaceFileReadFailed, "the file can not be read to its end").With("path", rel).Because(err)
	}
	c.Size = max(c.Size, int64(len(c.Data)))
	if c.Cut() {
		c.Tag = fmt.Sprintf("%s-%s", strconv.FormatInt(c.Size, 36), strconv.FormatInt(c.Modified.UnixNano(), 36))
		return c, nil
	}
	sum := sha256.Sum256(c.Data)
	c.Tag = hex.EncodeToString(sum[:])
	return c, nil
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
