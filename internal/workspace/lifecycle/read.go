package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// DefaultBytes caps a _STATUS.md that is read, unless a [Writer] says otherwise.
// Real ones have a few kilobytes.
const DefaultBytes = 1 << 20

// Snapshot is a deliverable's _STATUS.md as it was read.
type Snapshot struct {
	Deliverable workspace.Deliverable
	Status      *Status
	// Hash is the SHA-256 of the file's content, in hex: what it must still be when
	// somebody decides by it.
	Hash     string
	Findings []finding.Finding

	data []byte
	info fs.FileInfo
}

// Path is where the file is.
func (s *Snapshot) Path() string { return filepath.Join(s.Deliverable.Path, layout.StatusFile) }

// Read reads the _STATUS.md of a deliverable, of at most limit bytes, 0 for
// [DefaultBytes]. It fails with STATUS_FILE_NOT_FOUND,
// DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT where a link leads out of the project,
// WORKSPACE_FILE_READ_FAILED, or INVALID_STATUS_FORMAT where the file does not say
// in which state the deliverable is.
func Read(d workspace.Deliverable, limit int64) (*Snapshot, error) {
	folder, err := d.Open()
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	s, err := read(folder, d, limit)
	if err != nil {
		return nil, err
	}
	if why, ok := s.Status.Readable(); !ok {
		return nil, s.about(fault.New(fault.InvalidStatusFormat, "_STATUS.md cannot be read: %s", why).With("parseDetails", why))
	}
	return s, nil
}

func read(folder *os.Root, d workspace.Deliverable, limit int64) (*Snapshot, error) {
	if limit <= 0 {
		limit = DefaultBytes
	}
	s := &Snapshot{Deliverable: d}
	info, err := folder.Lstat(layout.StatusFile)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		// A deliverable's state is its own: a link would make it another's, and
		// would be replaced by the next transition.
		return nil, s.about(fault.New(fault.DeliverableOutside, "_STATUS.md is a link; the state of a deliverable is kept in its own folder").
			WithHint("put a file of its own in the link's place"))
	}
	if err == nil {
		s.data, s.info, err = durable.ReadFile(folder, layout.StatusFile, limit)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.about(fault.New(fault.StatusFileNotFound, "the deliverable has no _STATUS.md").Because(err))
	case errors.Is(err, durable.ErrTooLarge):
		return nil, s.about(fault.New(fault.WorkspaceFileReadFailed, "_STATUS.md is larger than %d bytes", limit).Because(err))
	case errors.Is(err, durable.ErrNotRegular):
		return nil, s.about(fault.New(fault.WorkspaceFileReadFailed, "_STATUS.md is not a regular file").Because(err))
	case err != nil:
		return nil, s.about(fault.New(fault.WorkspaceFileReadFailed, "_STATUS.md cannot be read").Because(err))
	}
	s.set(s.data)
	return s, nil
}

// set makes the snapshot one of this content.
func (s *Snapshot) set(data []byte) {
	s.data, s.Hash, s.Status = data, hash(data), Parse(data)
	s.Findings = s.Status.Check(path.Join(s.Deliverable.Rel, layout.StatusFile))
}

// about adds to an error which file it is about.
func (s *Snapshot) about(e *fault.Error) *fault.Error { return e.With("statusFilePath", s.Path()) }

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
