// Package workspace is the execution root: the folder of files that agents and
// people work on together.
//
// [CheckRoot] is the gate that every project folder passes before a session works
// in it, [CheckProject] the one before it is looked at. The layout of packages and deliverables, their status
// files, dependency registers, scans and snapshots belong here as well.
//
// The package knows no HTTP, no bus and no model. Contract: workspace spec;
// compatible contract, section 1.2.
package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"belay/internal/fault"
)

// maxPath is longer than any path that the supported systems open, in bytes.
const maxPath = 32 << 10

// CheckRoot checks a project folder and returns its path in normal form. The
// form is lexical: links stay as they were written, because the path is also how
// sessions of the project are found again. instructionRoot is "" for the embedded
// set; private are belay's own folders. In this order it returns
//
//   - INVALID_REQUEST for a path that is not absolute, not UTF-8 or holds a
//     control character;
//   - WORKING_ROOT_INACCESSIBLE for the root of the file system, for /proc, /sys,
//     /dev, any .belay, the private folders, and the content of one of them, by name
//     or by what the names really lead to;
//   - WORKING_ROOT_CONFLICT for the instruction root or a folder inside it, by
//     name or by what the names really lead to, since agents must not be able to
//     edit their own instructions (a project that contains the instruction root
//     is allowed: tools treat it as protected);
//   - WORKING_ROOT_INACCESSIBLE unless the path leads to a folder that this
//     process can list, enter and write to.
func CheckRoot(projectRoot, instructionRoot string, private ...string) (string, error) {
	return checkRoot(projectRoot, instructionRoot, private, true)
}

// CheckReadable is [CheckRoot] for what only reads in the project: nobody needs to be able
// to write there.
func CheckReadable(projectRoot, instructionRoot string, private ...string) (string, error) {
	return checkRoot(projectRoot, instructionRoot, private, false)
}

func checkRoot(projectRoot, instructionRoot string, private []string, write bool) (string, error) {
	if why := malformed(projectRoot); why != "" {
		return "", fault.New(fault.InvalidRequest, "projectRoot %s", why).With("projectRoot", fault.Clip(projectRoot))
	}
	clean := filepath.Clean(projectRoot)
	at := locate(clean)
	if err := closed("projectRoot", at, private); err != nil {
		return "", err
	}
	if instructionRoot != "" && at.in(instructionRoot) {
		return "", fault.New(fault.WorkingRootConflict, "projectRoot is inside the instruction root").
			With("projectRoot", fault.Clip(clean)).With("instructionRoot", instructionRoot)
	}
	if err := accessible(clean, false); err != nil {
		return "", Unopened(clean, err)
	}
	if !write {
		return clean, nil
	}
	if err := accessible(clean, true); err != nil {
		return "", fault.New(fault.WorkingRootInaccessible, "projectRoot cannot be written to").
			With("projectRoot", fault.Clip(clean)).Because(err).
			WithHint("make the folder writable for the user that belay runs as; commands that only read work as it is")
	}
	return clean, nil
}

// CheckProject checks a project folder that somebody wants to look at, and returns
// its path in normal form, links as they were written. It asks for less than
// [CheckRoot]: a project may be read-only, and may be the instruction root. It
// returns INVALID_PROJECT_ROOT for a path that is not a well-formed absolute one,
// and WORKING_ROOT_INACCESSIBLE unless it leads to a folder, and for the folders
// that CheckRoot refuses so.
func CheckProject(projectRoot string, private ...string) (string, error) {
	if why := malformed(projectRoot); why != "" {
		return "", fault.New(fault.InvalidProjectRoot, "projectRoot %s", why).With("projectRoot", fault.Clip(projectRoot))
	}
	clean := filepath.Clean(projectRoot)
	if err := closed("projectRoot", locate(clean), private); err != nil {
		return "", err
	}
	info, err := os.Stat(clean)
	if err == nil && !info.IsDir() {
		err = errNotFolder
	}
	if err != nil {
		return "", Unopened(clean, err)
	}
	return clean, nil
}

// malformed says why a path cannot be a project root, or "".
func malformed(path string) string {
	switch {
	case strings.TrimSpace(path) == "":
		return "is required"
	case len(path) > maxPath:
		return "is too long"
	case !utf8.ValidString(path):
		return "is not UTF-8"
	case strings.ContainsFunc(path, unicode.IsControl):
		return hasControl
	case !filepath.IsAbs(path):
		return "must be an absolute path"
	}
	return ""
}

// hasControl is what is wrong with a path that no request can carry.
const hasControl = "holds a control character"

var errNotFolder = errors.New("is not a folder")

// accessible asks for the folder what the work will.
func accessible(path string, write bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errNotFolder
	}
	return permitted(path, write)
}

// OpenProject opens a project's folder. It fails with WORKING_ROOT_INACCESSIBLE.
func OpenProject(project string) (*os.Root, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, Unopened(project, err)
	}
	return root, nil
}

// Unopened is the error of a project that cannot be opened.
func Unopened(project string, err error) *fault.Error {
	return fault.New(fault.WorkingRootInaccessible, "projectRoot %s", reason(err)).With("projectRoot", fault.Clip(project)).Because(err)
}

func reason(err error) string {
	switch {
	case errors.Is(err, errNotFolder):
		return errNotFolder.Error()
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	}
	return "cannot be listed and entered"
}
