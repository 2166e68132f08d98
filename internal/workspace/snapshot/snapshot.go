// Package snapshot publishes what agents and people derived from a project as
// folders that never change.
//
// A snapshot is a folder {LABEL}_{YYYY-MM-DD}_{HHmm} in a tool root, its time in
// UTC; a second one of a minute ends in _2. [Publish] builds it in a temporary
// folder beside its place, seals it with a manifest of checksums, and gives it its
// name in one step: nobody sees half a snapshot, whenever the process dies. Then
// _LATEST.md is made to point to it. A name that is taken is never written to. The
// publication is on record before the name is there ([Options.Record]).
//
// The manifest is what sha256sum writes and checks: cd into a snapshot and run
// sha256sum -c SHA256SUMS. [Verify] does the same and reports added files too.
//
// Contract: workspace spec, section 11.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
)

// Target says where a snapshot goes.
type Target struct {
	// Root is the absolute path of the project.
	Root string
	// ToolRoot is the tool root, or a folder in one, relative to Root with slashes:
	// "_Estimates", "_Reconciliation/Coverage". A tool root of the specification is
	// made where it is missing.
	ToolRoot string
	// Label is the first part of the snapshot's name.
	Label string
	// Name, where it is set, is the whole name, as [Target.Next] gives it. Publishing is
	// refused with CONTENT_CHANGED where a snapshot has it or a later one by then.
	Name string
	// Published, where it is set, recognises what is to be published in a snapshot
	// of that label that is there already, because its publisher died before it
	// could say so. Nothing is built then; only the pointer is set right.
	Published func(dir *os.Root) bool
	// By is who publishes, for the record.
	By Author
}

// MaxFiles is a limit for [Options]: more files and folders are no result that people look at, but
// a folder of dependencies or of build output.
const MaxFiles = 100_000

// Options bound a snapshot. All but Gate and Record are required.
type Options struct {
	// LockDir is a folder for locks, outside of what agents reach.
	LockDir string
	// MaxFiles and MaxBytes cap what a snapshot holds. Folders count as files.
	MaxFiles int
	MaxBytes int64
	Clock    func() time.Time
	Gate     workspace.Gate
	Record   changeset.Recorder[Record]
}

// Snapshot is what was published.
type Snapshot struct {
	// Name is the folder's, Path is where it is, absolute.
	Name string `json:"name"`
	Path string `json:"path"`
	// ToolRoot is relative to the project, with slashes.
	ToolRoot string `json:"toolRoot"`
	// Files are what it holds, the manifest apart, in the order of their paths.
	Files []File `json:"files"`
	Bytes int64  `json:"bytes"`
	// SHA256 is the hash of the manifest, as the audit log has it.
	SHA256 string `json:"sha256"`
	// Manifest and Pointer are the absolute paths of SHA256SUMS and _LATEST.md.
	Manifest string `json:"manifest"`
	Pointer  string `json:"pointer"`
}

// File is one file of a snapshot.
type File struct {
	// Path is relative to the snapshot, with slashes.
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// tempPrefix begins the names of folders that are being built. Publishers in one
// tool root exclude each other, so one that is found was left by a crash.
const tempPrefix = durable.TempPrefix + "snapshot-"

// Publish publishes what build puts into dir, which is empty. It returns
// INVALID_REQUEST for a target that cannot be and for contents that no snapshot
// holds (links, devices, nothing at all, more than the limits), and
// STORAGE_FAILURE when the disk takes no more; then nothing is published. An error
// of build is returned as it is.
func Publish(ctx context.Context, t Target, o Options, build func(dir *os.Root) error) (Snapshot, error) {
	if err := t.Check(); err != nil {
		return Snapshot{}, err
	}
	root, err := workspace.OpenProject(t.Root)
	if err != nil {
		return Snapshot{}, err
	}
	defer root.Close()
	unlock, err := workspace.LockFolder(ctx, o.LockDir, "snapshot", filepath.Join(t.Root, filepath.FromSlash(t.ToolRoot)))
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()
	leave, err := o.Gate.Enter(ctx, t.Root)
	if err != nil {
		return Snapshot{}, err
	}
	defer leave()
	p := publisher{Target: t, o: o}
	if p.tools, err = p.openToolRoot(root); err != nil {
		return Snapshot{}, err
	}
	defer p.tools.Close()
	return p.publish(ctx, build)
}

// Check refuses a target that cannot be, as [Publish] does.
func (t Target) Check() error {
	refuse := func(field, why string) error {
		return fault.New(fault.InvalidRequest, "%s %s", field, why).With("field", field)
	}
	if !filepath.IsLocal(filepath.FromSlash(t.ToolRoot)) || path.Clean(t.ToolRoot) != t.ToolRoot || !strings.HasPrefix(t.ToolRoot, "_") {
		return refuse("toolRoot", "must be a tool root, such as _Estimates, or a folder in one")
	}
	for part := range strings.SplitSeq(t.ToolRoot, "/") {
		if layout.IsSnapshot(part) || strings.HasPrefix(part, ".") || layout.Sanitize(part) != part {
			return refuse("toolRoot", "must not lead into a snapshot or a hidden folder")
		}
	}
	switch {
	case strings.TrimSpace(t.Label) == "":
		return refuse("label", "is required")
	case layout.Sanitize(t.Label) != t.Label || strings.HasPrefix(t.Label, "_") || strings.HasPrefix(t.Label, "."):
		return refuse("label", "must be a plain name that begins with neither a dot nor an underline")
	case len(t.Label) > maxLabel:
		return refuse("label", fmt.Sprintf("must have at most %d bytes", maxLabel))
	}
	return nil
}

// maxLabel leaves room for date, time and number in a folder's name, in bytes.
const maxLabel = 200

// openToolRoot opens the folder of a target, through no link, and makes it where the
// specification says that there is one.
func (p *publisher) openToolRoot(root *os.Root) (*os.Root, error) {
	name := p.ToolRoot
	tools, err := durable.OpenFolder(root, name)
	if errors.Is(err, fs.ErrNotExist) && known(name) {
		err = durable.MkdirAll(root, name, 0o777)
		for dir := name; err == nil && dir != "."; {
			dir = path.Dir(dir)
			err = durable.FlushDir(root, dir, durable.Snapshot)
		}
		if err == nil {
			tools, err = durable.OpenFolder(root, name)
		}
	}
	switch {
	case err == nil:
		return tools, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(name, err)
	case errors.Is(err, durable.ErrMoved):
		return nil, fault.New(fault.InvalidRequest, "toolRoot %s is reached by a link", name).With("field", "toolRoot").
			WithHint("name the folder to which the link leads, if it is a tool root").Because(err)
	}
	return nil, storage("toolRoot "+name+" cannot be used", err)
}

// missing is the refusal of a tool root that is not there, and that the specification
// does not have either.
func missing(name string, err error) error {
	return fault.New(fault.InvalidRequest, "toolRoot %s does not exist", name).With("field", "toolRoot").
		WithHint("make the folder, or name one of the tool roots: %s", strings.Join(toolRoots(), ", ")).Because(err)
}

// CheckPlace refuses a tool root that [Publish] would not find or make, as it does. What
// else may be wrong with the folder shows when something is published.
func (t Target) CheckPlace() error {
	if known(t.ToolRoot) {
		return nil
	}
	root, err := os.OpenRoot(t.Root)
	if err != nil {
		return nil // whoever works in the project says so
	}
	defer root.Close()
	switch info, err := root.Stat(t.ToolRoot); {
	case errors.Is(err, fs.ErrNotExist):
		return missing(t.ToolRoot, err)
	case err == nil && !info.IsDir():
		return fault.New(fault.InvalidRequest, "toolRoot %s is no folder", t.ToolRoot).With("field", "toolRoot").
			WithHint("name a folder")
	}
	return nil
}

// known reports whether the specification has a tool root of that name.
func known(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return slices.Contains(toolRoots(), first)
}

// toolRoots are those of the specification.
func toolRoots() []string {
	var all []string
	for _, t := range layout.ToolRoots {
		if !strings.Contains(t, "/") {
			all = append(all, t)
		}
	}
	return all
}

// storage is a failure of the disk, or of rights on it.
func storage(what string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fault.New(fault.WorkingRootInaccessible, "%s: permission denied", what).WithStatus(409).Because(err)
	}
	return fault.New(fault.StorageFailure, "%s: the disk does not take or give it", what).
		WithHint("free disk space and publish again; nothing was published").Because(err)
}
