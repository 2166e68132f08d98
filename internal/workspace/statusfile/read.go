// Package statusfile is _STATUS.md on the disk: read with its hash, and moved on under
// the deliverable's lock.
//
// [Read] gives a [Snapshot]: what the file says, what is wrong with it, and the hash
// by which somebody decides. [Writer.Change] makes a transition: refused if the file
// is not what was decided by, on record before it is made, and then whole or not at
// all, whenever the process dies. What a transition may be, and what it changes of
// the text, package lifecycle says.
//
// Contract: workspace spec, section 3; compatible contract, 1.14, 1.15, S4, S7 and
// S13; architecture, "A change to a project file".
package statusfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
)

// DefaultBytes caps a _STATUS.md that is read, unless a [Writer] says otherwise.
// Real ones have a few kilobytes.
const DefaultBytes = 1 << 20

// Snapshot is a deliverable's _STATUS.md as it was read.
type Snapshot struct {
	Deliverable workspace.Deliverable
	Status      *lifecycle.Status
	// Hash is the SHA-256 of the file's content, in hex: what it must still be when
	// somebody decides by it.
	Hash string
	// Findings are about the file, and about what its state rests on in the folder.
	Findings []finding.Finding

	data []byte
	info fs.FileInfo
	// contents are what the folder has of the files that states rest on, by name.
	contents map[string]lifecycle.Content
}

// Path is where the file is.
func (s *Snapshot) Path() string { return filepath.Join(s.Deliverable.Path, layout.StatusFile) }

// Data is the file's content, which is not to be changed.
func (s *Snapshot) Data() []byte { return s.data }

// Try works a transition out without making it, and without asking whether an
// approved commit exists.
func (s *Snapshot) Try(r lifecycle.Request) (lifecycle.Result, error) {
	if err := isWorked(s.Deliverable); err != nil {
		return lifecycle.Result{}, err
	}
	return lifecycle.Transition(s.data, r)
}

// Lacks says what the deliverable's folder does not have of what a state rests on: the
// document kit, the semantic lens. A transition is made all the same; people and agents
// learn it.
func (s *Snapshot) Lacks(state lifecycle.State) []finding.Finding {
	return lifecycle.Evidence(s.Deliverable.Rel, state, func(name string) lifecycle.Content { return s.contents[name] })
}

// View is a snapshot on the wire: what the compatible contract has, and findings,
// the entity tag and a transition that was just made.
type View struct {
	ProjectRoot string `json:"projectRoot"`
	// DeliverablePath is the folder, without links.
	DeliverablePath string            `json:"deliverablePath" doc:"the folder, without links"`
	StatusFilePath  string            `json:"statusFilePath"`
	Status          *lifecycle.Status `json:"status"`
	Findings        []finding.Finding `json:"findings" doc:"where the file differs from the specification, and contradicts itself"`
	ETag            string            `json:"etag" doc:"what If-Match takes"`
	Transition      *Made             `json:"transition,omitempty" doc:"what was done just now"`
}

// Made is a transition on the wire.
type Made struct {
	From  lifecycle.State `json:"from"`
	To    lifecycle.State `json:"to"`
	Actor string          `json:"actor"`
}

// View is the snapshot for the wire, after the transition that was made, if any.
func (s *Snapshot) View(made *lifecycle.Result) View {
	v := View{
		ProjectRoot: s.Deliverable.Project, DeliverablePath: s.Deliverable.Path, StatusFilePath: s.Path(),
		Status: s.Status, Findings: s.Findings, ETag: s.ETag(),
	}
	if v.Findings == nil {
		v.Findings = []finding.Finding{}
	}
	if made != nil {
		v.Transition = &Made{From: made.From, To: made.To, Actor: made.Actor}
	}
	return v
}

// ETag is the hash as an entity tag.
func (s *Snapshot) ETag() string { return `"` + s.Hash + `"` }

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
	limit = cmp.Or(limit, DefaultBytes)
	s := &Snapshot{Deliverable: d, contents: contents(folder, limit)}
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
	s.data, s.Hash, s.Status = data, changeset.Hash(data), lifecycle.Parse(data)
	s.Findings = append(s.Status.Check(path.Join(s.Deliverable.Rel, layout.StatusFile)), s.Lacks(s.Status.State())...)
}

// contents looks at the files that states rest on. One that is larger than limit, or that
// cannot be read, is not judged.
func contents(folder *os.Root, limit int64) map[string]lifecycle.Content {
	all := map[string]lifecycle.Content{}
	for _, name := range lifecycle.EvidenceFiles() {
		data, _, err := durable.ReadFile(folder, name, limit)
		switch {
		case err == nil:
			all[name] = lifecycle.ContentOf(name, data)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, durable.ErrNotRegular):
			all[name] = lifecycle.Filled
		}
	}
	return all
}

// about adds to an error which file it is about.
func (s *Snapshot) about(e *fault.Error) *fault.Error { return e.With("statusFilePath", s.Path()) }
