// Package kept stores the changes of commands that are not real yet: a person is
// asked about them, nobody answered in time, or something else changed the same
// files. Each is in a folder of its own below .belay/changes of the project, with
// what the command made of the files and a record of how they differ from the
// project. A person keeps them, which applies them, or drops them; until then
// nothing of the project is changed.
//
// A change survives the process that made it. After a power cut it may be damaged:
// its contents were not flushed. Their hashes show it, and a damaged file is not applied.
//
// Contract: architecture, "Security posture".
package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/lazyregexp"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/overlay"
)

// Where the changes of a project are, and what is in the folder of one.
const (
	dirChanges = ".belay/changes"
	fileRecord = "record.json"
	dirFiles   = "files"
	lockSuffix = ".lock"
)

// version is that of the record's format, maxRecord its longest.
const (
	version   = 1
	maxRecord = 64 << 20
)

// idPattern is what an id looks like: it is the name of a folder.
var idPattern = lazyregexp.New(`^chg_[0-9a-f]{16,64}$`)

// Record is a change that is not real yet, without its contents.
type Record struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	// Origin is the call that made it.
	Origin tool.Origin `json:"origin"`
	// Why says in a sentence why it is not real yet.
	Why string `json:"why"`
	// Question is the id of the question that decides on it, "" of one that is kept for later.
	Question string `json:"question,omitempty"`
	// Effect is what it would do to the project.
	Effect permit.Effect `json:"effect"`
	// Split is set while the parts of the change are decided on one after the other.
	Split *Split `json:"split,omitempty"`
	// Result is what the command had to say.
	Result Result `json:"result"`
	// Conflicts are paths that something else changed meanwhile.
	Conflicts []string         `json:"conflicts,omitempty"`
	Changes   []journal.Change `json:"changes"`
}

// Split divides a change into two parts with a question each: the ordinary changes, and then
// those that other programs run by themselves.
type Split struct {
	// Automatic are the paths of the second part. The folders above them belong to both.
	Automatic []journal.Name `json:"automatic"`
	// First and Second are what the parts would do.
	First  permit.Effect `json:"first"`
	Second permit.Effect `json:"second"`
	// Decided is set when the outcome of the first part is certain. Kept says then why the first
	// part is not real yet, "" where it was applied or dropped.
	Decided bool   `json:"decided,omitempty"`
	Kept    string `json:"kept,omitempty"`
}

// Result is what the model gets of a command, beside the outcome of its changes.
type Result struct {
	Text      string `json:"text"`
	Truncated bool   `json:"truncated,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
}

// Change is a change that is not real yet. It is used by one goroutine, and nobody
// else can use it until [Change.Close] or [Change.Remove].
type Change struct {
	Record
	project *os.Root // the caller's
	lock    *durable.FileLock
}

// ErrBusy says that somebody else is about to apply or drop the change.
var ErrBusy = errors.New("somebody else is at work on the change")

// Hold makes a change of what a command left in an upper directory, which is used up.
func Hold(project *os.Root, upper *overlay.Upper, r Record) (_ *Change, err error) {
	if !idPattern.MatchString(r.ID) {
		return nil, fmt.Errorf("hold changes: the id %q must match %s", r.ID, idPattern)
	}
	if err := durable.MkdirAll(project, dirChanges, 0o700); err != nil {
		return nil, fmt.Errorf("hold changes: %w", err)
	}
	c := &Change{Record: r, project: project}
	// The lock comes first: [Sweep] removes a folder without a record.
	if c.lock, err = lock(project, r.ID); err != nil {
		return nil, fmt.Errorf("hold changes: %w", err)
	}
	err = durable.MkdirAll(project, folder(r.ID), 0o700)
	if err == nil {
		err = upper.Move(path.Join(folder(r.ID), dirFiles))
	}
	if err == nil {
		err = c.write()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold changes: %w", err), c.Remove())
	}
	c.open()
	return c, nil
}

type versioned struct {
	V int `json:"v"`
	Record
}

func (c *Change) write() error {
	data, err := json.Marshal(versioned{version, c.Record})
	if err != nil {
		return err
	}
	return durable.WriteFile(c.project, path.Join(folder(c.ID), fileRecord), data, 0o600, durable.KeptChange)
}

// Update replaces the record of the change, which keeps its id and its contents.
func (c *Change) Update(r Record) error {
	r.ID = c.ID
	c.Record = r
	return c.write()
}

// Leave keeps only these changes of it: the others were applied.
func (c *Change) Leave(rest []journal.Change) error {
	c.Changes = rest
	return c.write()
}

func folder(id string) string { return path.Join(dirChanges, id) }

// open gives the changes their contents.
func (c *Change) open() {
	for i := range c.Changes {
		if s := &c.Changes[i]; s.After.Type == journal.File && s.Op != journal.Mode {
			name := path.Join(folder(c.ID), dirFiles, string(s.Path))
			// The folder may have come with the project, with a pipe or a link in it.
			s.Content = func() (io.ReadCloser, error) { return durable.OpenInside(c.project, name) }
		}
	}
}

// Contents is the folder that has what the command changed, at its paths: a transaction
// that makes all of the change may take it ([journal.Plan]).
func (c *Change) Contents() journal.Name { return journal.Name(path.Join(folder(c.ID), dirFiles)) }

// Close leaves the change where it is. It may be called after [Change.Remove].
func (c *Change) Close() error { return c.release(false) }

// Remove removes the change: it was applied, or nobody wants it.
func (c *Change) Remove() error {
	// Without its record a folder is no change any more, however far this comes.
	err := durable.Remove(c.project, path.Join(folder(c.ID), fileRecord))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = durable.RemoveAll(c.project, folder(c.ID))
	}
	return errors.Join(err, c.release(err == nil))
}

func (c *Change) release(gone bool) error {
	if c.lock == nil {
		return nil
	}
	var err error
	if gone {
		if err = durable.Remove(c.project, folder(c.ID)+lockSuffix); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	err = errors.Join(err, c.lock.Unlock())
	c.lock = nil
	return err
}
