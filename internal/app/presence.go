package app

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"belay/internal/api"
	"belay/internal/session"
)

// attendEvery is how often a server looks whether the state folder is still there.
const attendEvery = 10 * time.Second

// The parts that a server can go without, and what follows from that.
const (
	partBus    = "event bus"
	withoutBus = "nothing is published to the event bus; the events are in the sessions' logs all the same"

	partToken    = "operator's token"
	withoutToken = "belay open makes no links, and belay on this machine has no operator's authority here; the link that was printed works"

	partEntry    = "entry in the state folder"
	withoutEntry = "other belay commands do not find this server; name it with --server"
)

// presence is what a server keeps in the state folder so that others find it: its
// entry and the operator's token. What cannot be written now is tried again.
type presence struct {
	a       *App
	server  Server
	token   string
	carrier *carrier
	ready   *readiness

	mu   sync.Mutex
	note *note // nil where it could not be written
	kept bool  // the token is in the state folder
}

// operatorToken is the operator's, or one of this server's own where the state
// folder takes none.
func (p *presence) operatorToken() (string, error) {
	token, err := OperatorToken(p.a.Config.Paths.StateDir)
	if err == nil {
		p.kept = true
	} else if unwritten := (*fs.PathError)(nil); errors.As(err, &unwritten) {
		p.ready.lacks(partToken, withoutToken, err)
		token, err = rand.Text()+rand.Text(), nil
	}
	p.token = token
	return token, err
}

// publish writes the server's entry.
func (p *presence) publish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enter()
}

// enter writes what is not there yet. p.mu is held.
func (p *presence) enter() {
	state := p.a.Config.Paths.StateDir
	if p.note == nil {
		n, err := publish(state, p.server)
		if p.note = n; err != nil {
			p.ready.lacks(partEntry, withoutEntry, err)
		} else {
			p.ready.has(partEntry)
		}
	}
	if p.kept {
		return
	}
	err := createOnce(state, operatorFile, p.token)
	if err == nil {
		var data []byte
		if data, err = readNote(filepath.Join(state, operatorFile)); err == nil && string(data) != p.token+"\n" {
			err = errors.New("the state folder has another one by now")
		}
	}
	if err != nil {
		p.ready.lacks(partToken, withoutToken, err)
		return
	}
	p.kept = true
	p.ready.has(partToken)
}

// restore makes the state folder again where somebody removed it, with everything
// that this server keeps in it.
func (p *presence) restore() error {
	sessions, err := p.a.Store.Restore()
	if err != nil {
		return err
	}
	requests, err := p.a.requests.Restore()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	lost := sessions || requests || p.note != nil && !p.note.there()
	if lost {
		p.a.log.Warn("the state folder, or a part of it, was removed; it was made again", "folder", p.a.Config.Paths.StateDir)
		if p.note != nil {
			err = p.note.lock.Close() // of a file that is gone
			p.note = nil
		}
		p.kept = false
		if bus := p.carrier.bus; bus != nil {
			renewing, cancel := context.WithTimeout(context.Background(), busCloseTimeout)
			defer cancel()
			err = errors.Join(err, bus.Renew(renewing))
		}
	}
	if lost || p.note == nil || !p.kept {
		p.enter()
	}
	return err
}

// attend looks after the state folder until ctx ends.
func (p *presence) attend(ctx context.Context) {
	p.a.regularly(ctx, attendEvery, "the state folder could not be looked after", func(context.Context) error {
		return p.restore()
	})
}

// leave removes the entry.
func (p *presence) leave() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.note == nil {
		return nil
	}
	return p.note.remove()
}

// newPresence is that of a server that does not listen yet.
func newPresence(a *App, clock func() time.Time) *presence {
	p := &presence{a: a, carrier: &carrier{}}
	p.ready = &readiness{
		clock: clock, restore: p.restore, probe: probe, homes: a.homes, state: a.Config.Paths.StateDir,
	}
	return p
}

// homes are where the sessions lie that are in use, and those of the server's own
// project.
func (a *App) homes() []session.Home {
	all := a.Store.Homes()
	if p := a.Config.Project; p != "" {
		own := a.Store.HomeOf(p)
		if _, err := os.Stat(own.Folder); err == nil {
			all = append(all, own)
		}
	}
	return all
}

// readiness answers /readyz.
func (p *presence) readiness(context.Context) (api.Readiness, error) {
	state, err := p.ready.look()
	return state, errors.Join(err, p.a.Ready())
}
