package attachment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/fault"
)

// candidate is one path on its way to an item or a refusal.
type candidate struct {
	path    string
	promise promise
	file    File
	info    fs.FileInfo
	size    int64 // as the descriptor said when it was opened

	refusal *Refusal
	read    bool // the bytes have been judged
	item    Item

	// What the last walk over the budget said.
	overBudget  bool
	spentBefore int64
}

func (c *candidate) refuse(code Code, format string, args ...any) {
	c.refusal = &Refusal{Path: c.path, Code: code, Reason: fmt.Sprintf(format, args...)}
}

func (c *candidate) close() {
	if c.file != nil {
		_ = c.file.Close() // read only: nothing can be lost
		c.file = nil
	}
}

// open makes the checks that need no bytes and leaves c refused or with an open
// descriptor of a regular file within the size limit.
func (in *intake) open(c *candidate) error {
	shown := visible(c.path)
	if !filepath.IsAbs(c.path) {
		c.refuse(NotAbsolute, "the path must be absolute: %s", shown)
		return nil
	}
	if !in.accepts(c) {
		return nil
	}
	if in.fence != nil && !in.fence.admits(c.path) {
		c.refuse(OutsideRoots, "the file is outside the folders that attachments may come from (attachments.roots): %s", shown)
		return nil
	}
	file, info, err := openNoFollow(c.path)
	if err != nil {
		return c.refuseUnopened(err)
	}
	c.file, c.info, c.size = file, info, info.Size()
	switch {
	case !info.Mode().IsRegular():
		c.refuseMode(info.Mode())
	case c.size > in.policy.FileBytes:
		c.refuse(TooLarge, "the file has %d bytes; the limit for one file is %d bytes (attachments.file_bytes)", c.size, in.policy.FileBytes)
	case in.fence != nil && !in.fence.holds(c.path, info):
		c.refuse(OutsideRoots, "the file is outside the folders that attachments may come from (attachments.roots): %s", shown)
	}
	if c.refusal != nil {
		c.close()
	}
	return nil
}

// accepts checks the extension against the list (REQ-03).
func (in *intake) accepts(c *candidate) bool {
	ext := strings.ToLower(filepath.Ext(c.path))
	if slices.Contains(in.policy.Extensions, ext) {
		c.promise = extensions[ext]
		return true
	}
	if in.folder(c.path) {
		c.refuse(ExtensionNotAllowed, "it is a folder; attach the files in it: %s", visible(c.path))
		return false
	}
	if ext == "" || ext == "." {
		ext = "(none)"
	}
	c.refuse(ExtensionNotAllowed, "the extension %s is not accepted; accepted are %s (attachments.extensions)",
		shorten(visible(ext), 32), strings.Join(in.policy.Extensions, ", "))
	return false
}

// folder reports whether a path is that of a folder from which attachments may
// come. It says nothing of what lies elsewhere.
func (in *intake) folder(path string) bool {
	if in.fence != nil && !in.fence.admits(path) {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// refuseUnopened says why a path could not be opened. What lies there decides
// before the error's number does: systems disagree on the number for a link that
// was not followed.
func (c *candidate) refuseUnopened(err error) error {
	shown := visible(c.path)
	if outOfDescriptors(err) {
		return fault.New(fault.Overloaded, "the server has too many files open to read attachments").Because(err)
	}
	if info, statErr := os.Lstat(c.path); statErr == nil && !info.Mode().IsRegular() {
		c.refuseMode(info.Mode())
		return nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), isNotDir(err):
		c.refuse(NotFound, "file not found: %s", shown)
	case errors.Is(err, fs.ErrPermission):
		c.refuse(NotReadable, "the file is not readable (permission denied): %s", shown)
	default:
		c.refuse(NotReadable, "the file is not accessible: %s", shown)
	}
	return nil
}

func (c *candidate) refuseMode(mode fs.FileMode) {
	if mode&fs.ModeSymlink != 0 {
		c.refuse(Symlink, "the path must be a regular file; symbolic links are rejected: %s", visible(c.path))
		return
	}
	if mode.IsDir() {
		c.refuse(NotRegular, "it is a folder; attach the files in it (the path must be a regular file): %s", visible(c.path))
		return
	}
	c.refuse(NotRegular, "the path must be a regular file, not %s: %s", modeName(mode), visible(c.path))
}

func modeName(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}
