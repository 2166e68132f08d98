// Package proposal keeps what agents propose for registers until a person decides.
//
// A proposal is two files in the project's .belay/proposals: ID.csv, a register of
// the v3.1 schema that a person can read and correct, and ID.json, which says of
// which deliverable it is and where it is from. [Store.Add] checks a proposal before
// it is kept; [Store.List] shows each as what it would change in the register as it
// is now; [Store.Apply] takes it over, under the deliverable's lock, and closes it.
//
// Nothing in these files is trusted: where they lead is checked as if a stranger had
// named it, and what they hold by the rules of package register.
//
// Contract: the HTTP contract, "proposals"; workspace spec, section 6.
package proposal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerfile"
)

// State is the outcome of a proposal.
type State string

// The states. Open is the one in which a proposal waits for a person.
const (
	Open      State = "open"
	Applied   State = "applied"
	Dismissed State = "dismissed"
	// Superseded is a complete proposal after which a newer one came.
	Superseded State = "superseded"
)

// Proposal is a change of a register that somebody proposed.
type Proposal struct {
	ID string `json:"id"`
	// Deliverable is the id, Path the folder, relative to the project, with slashes.
	Deliverable string `json:"deliverable"`
	Path        string `json:"path"`
	CreatedAt   string `json:"createdAt"`
	// By is the agent or the person; SessionID and TurnID are where an agent did it.
	By        string `json:"by,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
	Note      string `json:"note,omitempty"`
	// Complete is set where it has every row that was found. Extracted rows that it
	// does not have are offered as RETIRED: those of Missing, which the register had
	// then, and none that came later.
	Complete bool     `json:"complete"`
	Missing  []string `json:"missing,omitempty"`
	Rows     int      `json:"rows"`
	// MadeFor is the tag of the register at that time, "" where there was none.
	MadeFor string `json:"madeFor,omitempty"`

	State     State  `json:"state"`
	SettledAt string `json:"settledAt,omitempty"`
	SettledBy string `json:"settledBy,omitempty"`
}

// Options say where and how many proposals are kept.
type Options struct {
	Files *registerfile.Files
	// LockDir is a folder for locks, outside of what agents reach.
	LockDir string
	Clock   func() time.Time
	// NewID makes ids that sort by time: letters, digits and dashes.
	NewID func() string
	// MaxOpen is how many of a project may wait, default 100; MaxSettled how many
	// others are kept, default 200.
	MaxOpen, MaxSettled int
}

// Store keeps proposals. It is safe for concurrent use, by any number of processes
// with the same LockDir.
type Store struct{ o Options }

// New returns a store.
func New(o Options) *Store {
	o.MaxOpen, o.MaxSettled = cmp.Or(o.MaxOpen, 100), cmp.Or(o.MaxSettled, 200)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Store{o}
}

// Folder is where a project's proposals are, relative to it.
const Folder = ".belay/proposals"

// maxRecord caps the file that says what a proposal is, maxListed the names that
// are read of the folder.
const (
	maxRecord = 4 << 20
	maxListed = 10_000
)

// idPattern is what an id may be: it becomes a file's name.
var idPattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9-]{7,63}$`)

// errMalformed is in the chain of an error about a record that is none.
var errMalformed = errors.New("the proposal's record is malformed")

func notFound(id string) error {
	if len(id) > 64 {
		id = id[:64]
	}
	return fault.New(fault.NotFound, "the project has no proposal %q", id).WithHint("list the project's proposals with GET /api/project/proposals")
}

// load reads one proposal's record.
func load(project *os.Root, id string) (Proposal, error) {
	var p Proposal
	if !idPattern.MatchString(id) {
		return p, notFound(id)
	}
	data, _, err := durable.ReadFile(project, Folder+"/"+id+".json", maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return p, notFound(id)
	}
	if err != nil {
		return p, fmt.Errorf("read the proposal %s: %w", id, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("%w: %v", errMalformed, err)
	}
	if p.ID != id || !slices.Contains([]State{Open, Applied, Dismissed, Superseded}, p.State) || p.Path == "." || !filepath.IsLocal(filepath.FromSlash(p.Path)) {
		return p, errMalformed
	}
	return p, nil
}

func save(project *os.Root, p Proposal) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(project, Folder+"/"+p.ID+".json", append(data, '\n'), 0o600, durable.Proposal)
}

// content reads a proposal's rows.
func content(project *os.Root, id string) (*register.Register, error) {
	data, _, err := durable.ReadFile(project, Folder+"/"+id+".csv", register.MaxBytes)
	if err != nil {
		return nil, fault.New(fault.WorkspaceFileReadFailed, "the proposal's rows can not be read").With("id", id).Because(err)
	}
	return register.Parse(data), nil
}

// all are the records of a project's proposals, the oldest first; what is malformed
// is left out.
func all(ctx context.Context, project *os.Root) ([]Proposal, error) {
	names, err := names(project)
	if err != nil {
		return nil, err
	}
	var list []Proposal
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if id, ok := strings.CutSuffix(name, ".json"); ok {
			if p, err := load(project, id); err == nil {
				list = append(list, p)
			}
		}
	}
	slices.SortFunc(list, func(a, b Proposal) int { return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// names are those of the files of a project's proposals.
func names(project *os.Root) ([]string, error) {
	f, err := project.Open(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(maxListed)
	if err != nil && len(names) == 0 && !errors.Is(err, io.EOF) {
		return nil, unreadable(err)
	}
	return names, nil
}

func unreadable(err error) error {
	return fault.New(fault.WorkspaceFileReadFailed, "the project's proposals can not be read").Because(err)
}

// open opens a project.
func open(projectRoot string) (*os.Root, error) {
	root, err := os.OpenRoot(projectRoot)
	if err != nil {
		return nil, fault.New(fault.WorkingRootInaccessible, "projectRoot can not be opened").With("projectRoot", projectRoot).Because(err)
	}
	return root, nil
}

// sweep removes what processes left unfinished that died. The lock is held: nobody else
// writes.
func sweep(project *os.Root) error {
	names, err := names(project)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, durable.TempPrefix) {
			if err := forget(project, name); err != nil {
				return fault.New(fault.StorageFailure, "what a crash left among the proposals can not be removed").Because(err)
			}
		}
	}
	return nil
}

// lockWait bounds the waiting for other processes.
const lockWait = 10 * time.Second

// lock keeps other processes from the project's proposals.
func (s *Store) lock(ctx context.Context, projectRoot string) (func(), error) {
	return changeset.Lock(ctx, s.o.LockDir, changeset.Proposals, projectRoot, lockWait)
}

// deliverable checks the folder that a proposal names.
func (p *Proposal) deliverable(projectRoot string) (workspace.Deliverable, error) {
	d, err := workspace.FindDeliverable(projectRoot, filepath.Join(projectRoot, filepath.FromSlash(p.Path)))
	if err == nil && layout.ParseName(path.Base(d.Rel)).ID != p.Deliverable {
		err = fault.New(fault.DeliverableNotFound, "the proposal's folder is not that of %s", p.Deliverable)
	}
	return d, err
}

func (s *Store) now() string { return s.o.Clock().UTC().Format("2006-01-02T15:04:05.000Z") }
