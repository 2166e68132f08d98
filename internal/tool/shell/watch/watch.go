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
// One command at a time runs in a project, within one process: the changes of
// two could not be told apart. A change that somebody else makes to a protected
// file while a command runs is taken for the command's; the version put aside
// has it.
//
// What is kept lies in an unnamed file in the state folder, which is gone with
// the process. A crash in mid-command therefore loses the record of that
// command.
//
// Contract: architecture, "Security posture"; workspace 9.5.
package watch

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"belay/internal/session"
	"belay/internal/tool"
)

// Options are the places and limits of a watcher.
type Options struct {
	// Dir is a folder that commands cannot reach. What is kept lies there, and
	// in its folder aside the changed versions of files that were restored.
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
}

// project is what is remembered of one between commands.
type project struct {
	turn chan struct{} // holds the right to run a command
	keep *keep
	last *listing // as it was seen last
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

// project returns what is remembered of the project at path.
func (w *Watcher) project(path string) *project {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, ok := w.projects[path]
	if !ok {
		p = &project{turn: make(chan struct{}, 1), keep: newKeep(w.o.Dir, w.o.KeepBytes), last: &listing{}}
		w.projects[path] = p
	}
	return p
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
}

// Watch is the watch over one command.
type Watch struct {
	w      *Watcher
	p      *project
	place  Place
	before *listing
	began  time.Time
}

// TooManyFilesError says that a project is too large to be watched.
type TooManyFilesError struct{ Limit int }

// Error implements error.
func (e *TooManyFilesError) Error() string {
	return fmt.Sprintf("the project has more than %d files", e.Limit)
}

// Begin notes the project before a command. It waits for its turn: for other
// commands in the project, and ctx. Every watch must be ended.
func (w *Watcher) Begin(ctx context.Context, place Place) (*Watch, error) {
	p := w.project(place.Project)
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	x := &Watch{w: w, p: p, place: place, began: time.Now()}
	var err error
	if x.before, _, err = walk(place.Root, p.last, w.o.MaxFiles); err == nil {
		p.last = x.before
		err = p.keep.update(ctx, place, x.before)
	}
	if err != nil {
		<-p.turn
		return nil, fmt.Errorf("note the project before the command: %w", err)
	}
	return x, nil
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
}

// End notes the project after the command, whose processes must all be gone, and
// takes back what was not allowed. It is called once.
func (x *Watch) End(ctx context.Context) (Result, error) {
	defer func() { <-x.p.turn }()
	r := &review{Watch: x, ctx: ctx}
	if err := r.run(); err != nil {
		return r.Result, fmt.Errorf("find out what the command changed: %w", err)
	}
	return r.Result, nil
}
