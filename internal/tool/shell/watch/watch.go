// Package watch finds out what a command did to a project, keeps what it
// replaced, and takes back what it had no right to do.
//
// A command changes files behind everybody's back, so its write scope cannot be
// checked call by call as that of the file tools. It is checked around the
// command: [Watcher.Begin] notes every file of the project by its stat and keeps
// the contents of those that moved since the last command; [Watch.End] notes
// them again and reads only what moved. Changes that the scope allows become
// records with the contents before and after, so that they can be shown and
// undone. All others are taken back, and the version that the command had made
// is put aside for the operator.
//
// Three things have rules of their own. The .belay folder is not looked at: it
// changes while commands run, and what it records is proved by hashes. In .git
// commands may change what they like but the configuration and the hooks, which
// are programs that run with the user's rights. A new link that leads out of the
// project is removed, unless it leads to a part of the system.
//
// One command at a time runs in a project, whichever process runs it: the changes
// of two could not be told apart. The lock is the system's, and the command's
// keeper has a part in it, so that it is free only when nothing of the command
// runs any more, also after a crash. What belay itself changes in a project
// meanwhile, in other sessions, is told ([Watcher.Enter]) and does not count. A
// change that anybody else makes while a command runs is taken for the command's;
// if it was restored, the version put aside has it.
//
// What a command finds is on disk before it begins: the contents that are kept,
// the list of all files, and whose command it is. So when the process dies in the
// middle, whoever comes next finds out what the command did ([Watcher.Recover],
// and every Begin in the project), takes back what it had no right to, and keeps
// the record for the session. What changed more than a second after the last of
// the command's processes had ended is not taken for its work, where the system
// lets the keeper tell when that was.
//
// Contract: architecture, "Security posture"; workspace 9.5.
package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"belay/internal/durable"
	"belay/internal/session"
	"belay/internal/tool"
)

// Options are the places and limits of a watcher.
type Options struct {
	// Dir is a folder that commands cannot reach. In its folder projects lies what
	// is kept, in aside are the changed versions of files that were restored, and
	// in found the findings that no session has on record yet.
	Dir string
	// KeepBytes caps what is kept of one project, 512 MiB when 0.
	KeepBytes int64
	// MaxFiles is how many files a project may have, 1,000,000 when 0. Of one
	// that has more nothing can be promised, so that no command runs in it.
	MaxFiles int
	// System are folders outside the project that links may lead to.
	System []string
	// Clock tells the time, time.Now when nil.
	Clock func() time.Time
}

const (
	defaultKeepBytes = 512 << 20
	defaultMaxFiles  = 1_000_000
)

// Watcher watches projects. It is safe for concurrent use.
type Watcher struct {
	o Options

	mu       sync.Mutex
	projects map[string]*project

	locations sync.Map // of projects, by path
}

// New returns a watcher, which has done nothing yet.
func New(o Options) *Watcher {
	if o.KeepBytes <= 0 {
		o.KeepBytes = defaultKeepBytes
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = defaultMaxFiles
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Watcher{o: o, projects: map[string]*project{}}
}

// Close frees what is kept. No watch may be open.
func (w *Watcher) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	for name, p := range w.projects {
		if e := p.keep.close(); err == nil {
			err = e
		}
		delete(w.projects, name)
	}
	return err
}

// Place is a project as one command sees it.
type Place struct {
	// Project is its absolute path, Root the same folder opened.
	Project string
	Root    *os.Root
	Scope   tool.Scope
	Blobs   tool.Blobs
	// FileBytes caps a file whose content is kept.
	FileBytes int64
	// Origin is the call that runs the command, Wait how long it waits for others
	// in the project.
	Origin tool.Origin
	Wait   time.Duration
}

// Watch is the watch over one command.
type Watch struct {
	w      *Watcher
	p      *project
	place  Place
	lock   *durable.FileLock
	before *listing
	began  time.Time
}

// Guard is the file that holds the project's lock. The command's keeper gets it as
// well, and writes to it as long as anything of the command runs.
func (x *Watch) Guard() *os.File { return x.lock.File() }

// TooManyFilesError says that a project is too large to be watched.
type TooManyFilesError struct{ Limit int }

// Error implements error.
func (e *TooManyFilesError) Error() string {
	return fmt.Sprintf("the project has more than %d files", e.Limit)
}

// Begin notes the project before a command. It waits for its turn: for other
// commands in the project, in this process and others. It gives up with ctx, or
// with a [*BusyError] when the place's time to wait is over. Every watch must be
// ended.
func (w *Watcher) Begin(ctx context.Context, place Place) (_ *Watch, err error) {
	p, err := w.project(place.Project)
	if err != nil {
		return nil, fmt.Errorf("note the project before the command: %w", err)
	}
	x := &Watch{w: w, p: p, place: place}
	if x.lock, err = p.begin(ctx, place.Wait); err != nil {
		return nil, err
	}
	if err := x.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("note the project before the command: %w", err), p.end(x.lock))
	}
	return x, nil
}

// open notes what the command finds. What one left whose process died is settled
// first.
func (x *Watch) open(ctx context.Context) (err error) {
	gate, err := x.p.gate(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gate.Unlock()) }()
	if err := x.w.settle(ctx, x.p, x.place); err != nil {
		return err
	}
	x.began = time.Now()
	if x.before, _, err = walk(x.place.Root, x.p.last, x.w.o.MaxFiles); err != nil {
		return err
	}
	x.p.last = x.before
	if err := x.p.keep.update(ctx, x.place, x.before); err != nil {
		return err
	}
	return x.announce()
}

// Result is what a command did to the project.
type Result struct {
	// Changes are in the order of their paths. Those that were taken back are
	// Restored.
	Changes []session.Change
	// Notes tell, in a sentence each, what was taken back and why, and what could
	// not be.
	Notes []string
	// Moved is set where the command had moved the project's folder, which is
	// back; Gone where it had removed it: it was made again with all that was
	// kept, and the folder that the place had open is not it.
	Moved, Gone bool
	// Recorded is called when the changes are on record with the session. Until
	// then they are kept as a finding. It is nil where there is nothing to keep.
	Recorded func()
}

// End notes the project after the command, whose processes must all be gone, and
// takes back what was not allowed. It is called once. On an error it is as if the
// process had died: the next command in the project finds out what this one did.
func (x *Watch) End(ctx context.Context) (_ Result, err error) {
	defer func() { err = errors.Join(err, x.p.end(x.lock)) }()
	gate, err := x.p.gate(ctx)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, gate.Unlock()) }()
	r := &review{Watch: x, ctx: ctx}
	if err := r.run(); err != nil {
		return r.Result, fmt.Errorf("find out what the command changed: %w", err)
	}
	if len(r.Changes) > 0 {
		f := tool.Finding{Origin: x.place.Origin, Changes: r.Changes, Notes: r.Notes}
		if r.Recorded, err = x.w.leave(f); err != nil {
			return r.Result, err
		}
	}
	return r.Result, x.p.clear()
}
