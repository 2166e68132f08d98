package scaffold

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"belay/internal/durable"
	"belay/internal/fault"
)

// Stage is what a run was doing when it failed; the names are the compatible
// contract's, whose validate_layout and validate_preparation_compatibility cannot
// fail here.
type Stage string

// The stages.
const (
	EnsureRoot          Stage = "ensure_execution_root"
	EnsureToolRoot      Stage = "ensure_tool_root"
	CopyDecomposition   Stage = "copy_decomposition"
	WriteInit           Stage = "write_init"
	WriteCoordination   Stage = "write_coordination"
	CreatePackage       Stage = "create_package"
	CreatePackageFolder Stage = "create_package_subdir"
	CreateDeliverable   Stage = "create_deliverable"
)

var errInTheWay = errors.New("something else than a folder is in the way")

// fail is the error of a step. What had been made is added by [scaffolding.failed].
func (p *Plan) fail(stage Stage, name string, err error) error {
	target := p.abs(name)
	e := fault.New(fault.StorageFailure, "%s cannot be made", shown(target)).
		WithHint("free disk space and run it again; it goes on where it stopped")
	switch {
	case errors.Is(err, durable.ErrUnflushed):
		e = fault.New(fault.StorageFailure, "%s is made, but the disk did not confirm it; a power cut may take it back", shown(target)).
			WithHint("look after the disk and run it again")
	case errors.Is(err, errInTheWay), errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist), escapes(err):
		e = fault.New(fault.WorkingRootInaccessible, "%s cannot be made: %s", shown(target), reasonOf(err)).WithStatus(409).
			WithHint("move what is in the way and run it again; it goes on where it stopped")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		e = fault.New(fault.WorkingRootInaccessible, "%s cannot be made: %s", shown(target), reasonOf(err)).WithStatus(500).
			WithHint("correct the folder's permissions and run it again; it goes on where it stopped")
	}
	return e.Because(err).With("scaffoldStrategy", "FAIL_FAST").With("stage", string(stage)).With("targetPath", target).
		With("created", Created{Directories: []string{}, Files: []string{}}).With("guidance", e.Hint)
}

// failed adds what a run had made before it failed.
func (m *scaffolding) failed(err error) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	return e.With("created", m.created())
}

// escapes reports whether a link led out of the root.
func escapes(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && strings.Contains(at.Err.Error(), "escapes")
}

// reasonOf is an error in words, without the paths in it.
func reasonOf(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, errInTheWay):
		return errInTheWay.Error()
	case escapes(err):
		return "a link leads out of the root"
	case errors.As(err, &errno):
		return errno.Error()
	}
	return "the disk refuses"
}

func isCanceled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (p *Plan) abs(name string) string {
	return filepath.Join(p.req.ExecutionRoot, filepath.FromSlash(name))
}

// shown is a value from outside as an error has it: short and one line.
func shown(s string) string { return fault.Clip(oneLine(strings.ToValidUTF8(s, "\uFFFD"))) }
