package session

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"belay/internal/durable"
	"belay/internal/lazyregexp"
)

// What is made piece by piece (a session, an import, an upload, a blob) has a hidden
// name until it is whole. The name says which process makes it, and each such process
// holds a lock in the state folder: what one left that died goes at the next sweep.
// Of the processes of other state folders nothing is known; what they left goes when
// it is old.

// dirMakers has a lock for each process that has made something.
const dirMakers = "makers"

// maker is this process's name, and its lock.
type maker struct {
	dir  string // of the locks
	once sync.Once
	name string
	lock *durable.FileLock
}

// makerPattern is what [rand.Text] makes.
var makerPattern = lazyregexp.New(`^[A-Z2-7]{26}$`)

// unfinished is the name of something that is being made; prefix begins it, and rest
// distinguishes it from others.
func (m *maker) unfinished(prefix, rest string) string {
	m.once.Do(func() {
		name := rand.Text()
		// Without a lock nothing is known of this process either.
		if lock, err := durable.Lock(m.path(name)); err == nil {
			m.name, m.lock = name+"-", lock
		}
	})
	return prefix + m.name + rest
}

func (m *maker) path(name string) string { return filepath.Join(m.dir, name+".lock") }

// madeByDead reports whether a process made this entry that is known to be dead.
func (m *maker) madeByDead(entry, prefix string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(entry, prefix), "-")
	if !makerPattern.MatchString(name) {
		return false
	}
	path := m.path(name)
	_, err := os.Lstat(path)
	return err == nil && !durable.Locked(path)
}

// leave ends the process's part as a maker.
func (m *maker) leave(state *os.Root) error {
	m.once.Do(func() {})
	if m.lock == nil {
		return nil
	}
	if err := m.lock.Unlock(); err != nil {
		return err
	}
	return removeIfThere(state, dirMakers+"/"+strings.TrimSuffix(m.name, "-")+".lock")
}

// gcMakers removes the locks of dead processes, when what they left is gone.
func (g *gc) gcMakers() error {
	if g.o.DryRun {
		return nil
	}
	root := g.store.stateDir.Root()
	names, err := list(root, dirMakers)
	if err != nil {
		return err
	}
	for _, name := range names {
		if durable.Locked(filepath.Join(root.Name(), dirMakers, name)) {
			continue
		}
		if err := removeIfThere(root, dirMakers+"/"+name); err != nil {
			return err
		}
	}
	return nil
}
