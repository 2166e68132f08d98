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
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/layout"
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
const Folder = layout.Proposals

// idPattern is what an id may be: it becomes a file's name.
var idPattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9-]{7,63}$`)

// errMalformed is in the chain of an error about a record that is none.
var errMalformed = errors.New("the proposal's record is malformed")

func notFound(id string) error {
	return fault.New(fault.NotFound, "the project has no proposal %q", fault.Clip(id)).WithHint("list the project's proposals with GET /api/project/proposals")
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

// IDOf is the id of the proposal whose rows a file of the project holds, "" for any
// other file.
func IDOf(projectRoot, file string) string {
	folder, name := filepath.Split(file)
	id, ok := strings.CutSuffix(name, ".csv")
	if !ok || !idPattern.MatchString(id) {
		return ""
	}
	is, err := os.Stat(filepath.Clean(folder))
	want, err2 := os.Stat(filepath.Join(projectRoot, filepath.FromSlash(Folder)))
	if err != nil || err2 != nil || !os.SameFile(is, want) {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(projectRoot, filepath.FromSlash(Folder), id+".json")); err != nil {
		return ""
	}
	return id
}
