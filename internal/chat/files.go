package chat

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
)

// Limits of the walk that gathers the names of a folder's files.
const (
	// maxNames is how many names are kept, maxDepth how deep folders are read.
	maxNames = 300_000
	maxDepth = 24
	// walkPatience is how long a walk may take.
	walkPatience = 20 * time.Second
	// namesAge is how old the names may be before they are gathered anew.
	namesAge = 5 * time.Second
	// searchPatience is how long a search waits for a walk; then it looks through what
	// has been gathered so far.
	searchPatience = 60 * time.Millisecond
)

// names are those of the files and folders below a folder, for completion. A walk
// gathers them beside the chat, searches read what is there. Hidden files and folders
// are left out, belay's own folder with them, and links are not followed.
type names struct {
	folder string

	mu  sync.Mutex
	all []named
	// done is closed when the walk that runs has ended, nil where none does; walked is
	// when the last one has.
	done   chan struct{}
	walked time.Time
}

// named is a file or, with a slash at its end, a folder, by its path from where the
// walk began.
type named struct {
	path, low string
	// base is where the last part begins.
	base int
}

// stale reports whether the names should be gathered, and that the caller does that:
// it calls walk.
func (n *names) stale(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done != nil || now.Sub(n.walked) < namesAge {
		return false
	}
	n.done = make(chan struct{})
	return true
}

// gather is the job that gathers the names, nil where they are new enough.
func (n *names) gather(c *calls) tea.Cmd {
	if !n.stale(c.o.Clock()) {
		return nil
	}
	return c.run(func(ctx context.Context) tea.Msg {
		n.walk(ctx, c.o.Clock)
		return nil
	})
}

// walk gathers the names, folder by folder, those at the top first.
func (n *names) walk(ctx context.Context, clock func() time.Time) {
	ctx, cancel := context.WithTimeout(ctx, walkPatience)
	defer cancel()
	n.mu.Lock()
	first := len(n.all) == 0
	n.mu.Unlock()
	var all []named
	folders := []string{""}
	for len(folders) > 0 && len(all) < maxNames && ctx.Err() == nil {
		dir := folders[0]
		folders = folders[1:]
		found := namesIn(ctx, filepath.Join(n.folder, filepath.FromSlash(dir)), dir)
		for _, f := range found {
			if strings.HasSuffix(f.path, "/") && strings.Count(f.path, "/") < maxDepth {
				folders = append(folders, f.path)
			}
		}
		all = append(all, found...)
		if first { // what is there can be searched meanwhile
			n.mu.Lock()
			n.all = all
			n.mu.Unlock()
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all, n.walked = all[:min(len(all), maxNames)], clock()
	close(n.done)
	n.done = nil
}

// namesIn are the names in one folder, in their order. A folder that cannot be read
// has none.
func namesIn(ctx context.Context, at, dir string) (found []named) {
	f, err := os.Open(at)
	if err != nil {
		return nil
	}
	defer f.Close() // it was only read
	for len(found) < maxListed && ctx.Err() == nil {
		entries, err := f.ReadDir(listedAtOnce)
		for _, e := range entries {
			name, mode := e.Name(), e.Type()
			if strings.HasPrefix(name, ".") || name != render.Clean(name) || strings.ContainsAny(name, "\n\"") {
				continue
			}
			switch {
			case mode.IsDir():
				name += "/"
			case mode&fs.ModeType != 0:
				continue
			}
			path := dir + name
			found = append(found, named{path, strings.ToLower(path), len(dir)})
		}
		if err != nil {
			break // the end; of what cannot be read, what could be is offered
		}
	}
	slices.SortFunc(found, func(a, b named) int { return strings.Compare(a.path, b.path) })
	return found
}

// search finds the names that a query fits best, the best first. partial is set while
// a walk goes on that may find more.
func (n *names) search(ctx context.Context, query string, most int) (best []listed, partial bool) {
	n.mu.Lock()
	done := n.done
	n.mu.Unlock()
	if done != nil {
		wait := time.NewTimer(searchPatience)
		defer wait.Stop()
		select {
		case <-done:
		case <-wait.C:
			partial = true
		case <-ctx.Done():
			return nil, false
		}
	}
	n.mu.Lock()
	all := n.all
	n.mu.Unlock()
	return rank(all, strings.ToLower(query), most), partial
}
