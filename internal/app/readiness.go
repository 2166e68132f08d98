package app

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"belay/internal/api"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/session"
)

// probeEvery is the least time between two looks whether folders can be written.
const probeEvery = 10 * time.Second

// maxProbed bounds in how many projects one look writes.
const maxProbed = 64

// readiness knows whether a server can write where it has to, and what it goes
// without. It is safe for concurrent use.
type readiness struct {
	clock func() time.Time
	// restore makes the state folder again where somebody removed it, probe writes a
	// file in a folder, homes are where the sessions lie that are in use.
	restore func() error
	probe   func(dir string) error
	homes   func() []session.Home
	state   string

	// looking is held for a whole look, mu for a moment: who restores the state
	// folder notes what is missing.
	looking sync.Mutex
	looked  time.Time
	err     error
	// unwritable are the homes that took no write at the last look, and why.
	unwritable []unwritable

	mu      sync.Mutex
	missing []api.Missing
}

// look returns what the server goes without, or why it can take no work: what was
// found at the last look, where that is not long ago.
func (r *readiness) look() (api.Readiness, error) {
	r.looking.Lock()
	defer r.looking.Unlock()
	if now := r.clock(); r.looked.IsZero() || now.Sub(r.looked) >= probeEvery {
		r.looked = now
		if r.err = r.try(); r.err == nil {
			r.tryHomes()
		}
	}
	state := api.Readiness{Missing: r.without()}
	for _, u := range r.unwritable {
		state.Projects = append(state.Projects, api.Unwritable{ProjectRoot: u.home.Root, Reason: u.reason})
	}
	return state, r.err
}

type unwritable struct {
	home   session.Home
	reason string
}

// try writes in the state folder.
func (r *readiness) try() error {
	err := r.restore()
	if err == nil {
		err = r.probe(r.state)
	}
	if err == nil {
		return nil
	}
	return fault.New(fault.StorageFailure, "the state folder cannot be written: %s", reason(err)).Because(err)
}

// tryHomes writes in the projects in use, and in those that took no write before.
func (r *readiness) tryHomes() {
	homes := r.homes()
	for _, u := range r.unwritable {
		if _, err := os.Stat(u.home.Folder); err == nil && !slices.Contains(homes, u.home) {
			homes = append(homes, u.home)
		}
	}
	r.unwritable = nil
	for _, h := range homes[:min(len(homes), maxProbed)] {
		if err := r.probe(h.Folder); err != nil {
			r.unwritable = append(r.unwritable, unwritable{h, reason(err)})
		}
	}
}

// lacks notes that the server goes without a part.
func (r *readiness) lacks(part, effect string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := api.Missing{Part: part, Reason: reason(why), Effect: effect}
	for i := range r.missing {
		if r.missing[i].Part == part {
			r.missing[i] = m
			return
		}
	}
	r.missing = append(r.missing, m)
}

// has notes that the server has a part after all.
func (r *readiness) has(part string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missing = slices.DeleteFunc(r.missing, func(m api.Missing) bool { return m.Part == part })
}

// without lists what the server goes without.
func (r *readiness) without() []api.Missing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.missing)
}

// checks are the findings of doctor about a running server.
func (r *readiness) checks() (all []Check) {
	state, err := r.look()
	if err != nil {
		all = append(all, Check{Name: "server", Level: Problem, Detail: err.Error(), Next: "make room for the state folder, or let belay write there"})
	}
	for _, m := range state.Missing {
		all = append(all, Check{
			Name: "server: " + m.Part, Level: Problem, Detail: m.Reason + "; " + m.Effect, Next: "correct that, then start the server again",
		})
	}
	for _, p := range state.Projects {
		all = append(all, Check{Name: "server: project", Level: Problem, Detail: p.ProjectRoot + ": " + p.Reason, Next: "let belay write to .belay in the project folder"})
	}
	return all
}

// probeBytes is how much a probe writes: a full disk may take an empty file.
const probeBytes = 4 << 10

// probe writes a file in a folder, flushes it and removes it.
func probe(dir string) (err error) {
	temp, err := durable.TempFile(dir, durable.TempPrefix+"probe-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	f, err := os.OpenFile(temp.Path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeBytes))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// reason is what the system said, without the paths around it.
func reason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return fmt.Sprint(err)
}
