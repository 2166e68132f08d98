package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/workspace/scan"
)

// root is the index of one project. What is not said to be shared belongs to its
// goroutine.
type root struct {
	set  *Set
	path string
	life context.Context
	end  context.CancelFunc
	asks chan chan answer
	done chan struct{}

	// users and used are the set's.
	users int
	used  time.Time

	journal *journal
	now     *Snapshot
	// result is what the project held at the latest look. It differs from that of
	// now at most in what listings do not show.
	result *scan.Result
	// cost is how long the latest scan of the whole project took.
	cost    time.Duration
	watch   watcher // nil while polling
	watched map[string]bool

	// What has to be done because of what happened.
	doubt   bool
	scopes  map[string]bool // folders to scan
	moved   map[string]bool // folders that came or went; "." is any
	changed map[string]bool // paths to tell
	more    bool
}

type answer struct {
	snapshot *Snapshot
	err      error
}

const (
	// settle is how long an index waits after something has happened for what
	// belongs to it; a question does not wait.
	settle = 8 * time.Millisecond
	// maxScopes is how many folders are scanned one by one.
	maxScopes = 128
	// maxRounds is how often folders that come while one looks are followed.
	maxRounds = 8
)

func newRoot(s *Set, path string) *root {
	x := &root{
		set: s, path: path, asks: make(chan chan answer), done: make(chan struct{}), journal: newJournal(), used: time.Now(),
		watched: map[string]bool{}, scopes: map[string]bool{}, moved: map[string]bool{}, changed: map[string]bool{},
	}
	x.life, x.end = context.WithCancel(s.life)
	return x
}

// ask returns a snapshot no older than the call.
func (x *root) ask(ctx context.Context) (*Snapshot, error) {
	reply := make(chan answer, 1)
	select {
	case x.asks <- reply:
	case <-x.done:
		return nil, x.failure()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-reply:
		return a.snapshot, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// failure is why the index ended.
func (x *root) failure() error {
	x.journal.mu.Lock()
	defer x.journal.mu.Unlock()
	return x.journal.err
}

// run is the goroutine. It ends when the set does, when nobody uses the index, and
// when the project can not be looked at.
func (x *root) run() {
	err := x.live()
	x.set.drop(x)
	if x.watch != nil {
		err = errors.Join(err, x.watch.close())
	}
	if err == nil || x.life.Err() != nil {
		err = ErrClosed
	}
	x.end()
	x.journal.end(err)
	close(x.done)
}

func (x *root) live() error {
	idle := time.NewTicker(max(x.set.o.Idle/4, time.Millisecond))
	defer idle.Stop()
	for x.now == nil {
		select {
		case <-x.life.Done():
			return nil
		case first := <-x.asks:
			if err := x.begin(x.askers(first)); err != nil {
				return err
			}
		case <-idle.C:
			if x.set.dropIdle(x) {
				return nil
			}
		}
	}
	tick := time.NewTicker(x.interval())
	defer tick.Stop()
	settled := time.NewTimer(0)
	defer settled.Stop()
	for {
		var ready <-chan struct{}
		if x.watch != nil {
			ready = x.watch.ready()
		}
		var err error
		select {
		case <-x.life.Done():
			return nil
		case <-ready:
			if x.collect(); x.pending() {
				settled.Reset(settle)
			}
		case <-settled.C:
			x.collect()
			err = x.refresh()
		case reply := <-x.asks:
			err = x.reply(x.askers(reply))
		case <-tick.C:
			if x.watch != nil || x.set.isUsed(x) {
				x.doubt = true
				err = x.refresh()
			}
			tick.Reset(x.interval())
		case <-idle.C:
			if x.set.dropIdle(x) {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

// interval is the time to the next look at the whole project, which should take
// only a small part of it.
func (x *root) interval() time.Duration {
	least := x.set.o.Recheck
	if x.watch == nil {
		least = x.set.o.Poll
	}
	return max(least, 20*x.cost)
}

// askers are all who wait for an answer by now.
func (x *root) askers(first chan answer) []chan answer {
	all := []chan answer{first}
	for {
		select {
		case next := <-x.asks:
			all = append(all, next)
		default:
			return all
		}
	}
}

func (x *root) reply(askers []chan answer) error {
	x.doubt = x.doubt || x.watch == nil
	x.collect()
	err := x.refresh()
	for _, reply := range askers {
		reply <- answer{x.now, err}
	}
	return err
}

// begin makes the first snapshot for those who asked before it was begun, and
// begins to watch.
func (x *root) begin(askers []chan answer) error {
	result, err := x.scan(".")
	if err == nil {
		// Versions begin with the time, so those of an earlier life are smaller.
		version := uint64(x.set.o.Clock().UnixMilli())
		x.result = result
		x.now = &Snapshot{Root: x.path, Version: version, Mode: Polling, Layout: &Layout{Result: result, At: x.set.o.Clock()}}
		if len(result.Visited) <= x.set.o.MaxWatches {
			x.now.Mode = Events
		}
		x.journal.begin(version)
	}
	for _, reply := range askers {
		reply <- answer{x.now, err}
	}
	if err != nil {
		return err
	}
	if x.now.Mode == Events {
		x.listen(result.Visited)
	} else {
		x.doubt = true // those who follow want stamps to compare with
		x.tellPolling(fmt.Errorf("it has %d folders, more than workspace.max_watches", len(result.Visited)))
	}
	return nil
}

// listen begins to watch. What happened since the folders were scanned is not
// known, so the project is in doubt.
func (x *root) listen(folders []string) {
	w, err := newWatcher(x.path)
	if err == nil {
		x.watch = w
		_, err = x.follow(folders)
	}
	x.doubt = true
	if err != nil {
		x.poll(err)
	}
}

// follow watches folders, and returns those that it did not watch before.
func (x *root) follow(folders []string) (fresh []string, err error) {
	for _, rel := range folders {
		known := x.watched[rel]
		if known && !x.moved["."] && !lies(rel, x.moved) {
			continue
		}
		if !known && len(x.watched) >= x.set.o.MaxWatches {
			return nil, fmt.Errorf("it has more than %d folders (workspace.max_watches)", x.set.o.MaxWatches)
		}
		// A folder that was removed and made again has the old name and no watch.
		first, err := x.watch.add(rel)
		if errors.Is(err, errGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		x.watched[rel] = true
		if first {
			fresh = append(fresh, rel)
		}
	}
	return fresh, nil
}

// poll gives up watching.
func (x *root) poll(reason error) {
	if x.watch != nil {
		_ = x.watch.close() // nothing is expected of it any more
		x.watch = nil
	}
	x.watched, x.doubt = map[string]bool{}, true
	x.tellPolling(reason)
	x.now = &Snapshot{Root: x.path, Version: x.now.Version, Mode: Polling, Layout: x.now.Layout}
}

func (x *root) tellPolling(reason error) {
	x.set.told.Do(func() {
		x.set.o.Logger.Warn("changes of a project are looked for instead of being told by the system", "project", x.path,
			"every", x.set.o.Poll, "reason", reason, "hint", "raise fs.inotify.max_user_watches, or leave it: answers stay right, and take longer")
	})
}

func (x *root) scan(rel string) (*scan.Result, error) {
	begun := time.Now()
	o := x.set.o.Scan
	o.Stamps = x.watch == nil
	r, err := scan.Under(x.life, x.path, rel, o)
	if rel == "." {
		x.cost = time.Since(begun)
	}
	return r, err
}

// pending reports whether there is something to do.
func (x *root) pending() bool {
	return x.doubt || len(x.scopes) > 0 || len(x.changed) > 0 || x.more
}

// collect takes what happened and works out what has to be looked at.
func (x *root) collect() {
	if x.watch == nil {
		return
	}
	happened, lost := x.watch.take()
	x.doubt = x.doubt || lost
	for _, e := range happened {
		base := path.Base(e.path)
		if e.dir && e.path != "." && scan.LeavesOut(base) || !e.dir && strings.HasPrefix(base, durable.TempPrefix) {
			if !e.dir && e.went { // and if it was left there, it is not any more
				x.scopes[path.Dir(e.path)] = true
			}
			continue // the second is a file that is being written: it will get its name
		}
		x.change(e.path)
		switch {
		case e.path == ".":
			x.doubt = true
		case e.dir:
			x.scopes[e.path] = true
			if e.came || e.went {
				x.moved[e.path] = true
			}
		case scan.Matters(e.path):
			x.scopes[path.Dir(e.path)] = true
		}
	}
}

// refresh looks at what has to be looked at and makes the next snapshot where
// something has changed.
func (x *root) refresh() error {
	if !x.pending() {
		return nil
	}
	result, err := x.look()
	if err != nil {
		return err
	}
	x.publish(result)
	return nil
}

// look returns what the project holds now.
func (x *root) look() (*scan.Result, error) {
	result := x.result
	for range maxRounds {
		whole := x.doubt || len(x.scopes) > maxScopes || result.Truncated && len(x.scopes) > 0
		scopes := outermost(x.scopes)
		x.doubt, x.scopes = false, map[string]bool{}
		switch {
		case whole:
			next, err := x.scan(".")
			if err != nil {
				return nil, err
			}
			result, x.moved["."] = next, true
		case len(scopes) == 0:
			return result, nil
		default:
			parts := make(map[string]*scan.Result, len(scopes))
			for _, rel := range scopes {
				part, err := x.scan(rel)
				if err != nil && x.life.Err() == nil {
					x.doubt = true // a part that can not be looked at: the whole says why
					break
				}
				if err != nil {
					return nil, err
				}
				parts[rel] = part
			}
			if x.doubt {
				continue
			}
			result = result.Replace(parts)
		}
		if x.watch == nil {
			return result, nil
		}
		// What is in a folder that was not watched until now may have come before
		// the watch and after the look.
		for _, rel := range x.keepUp(result) {
			x.scopes[rel] = true
		}
		if len(x.scopes) == 0 && !x.doubt {
			return result, nil
		}
	}
	x.doubt = true // folders come faster than they are followed; the next look goes on
	return result, nil
}

// keepUp makes the watched folders those of the result, and returns the new ones.
func (x *root) keepUp(result *scan.Result) []string {
	if len(x.moved) == 0 {
		return nil
	}
	there := make(map[string]bool, len(result.Visited))
	for _, rel := range result.Visited {
		there[rel] = true
	}
	for rel := range x.watched {
		if !there[rel] {
			x.watch.remove(rel)
			delete(x.watched, rel)
		}
	}
	fresh, err := x.follow(result.Visited)
	x.moved = map[string]bool{}
	if err != nil {
		x.poll(err)
		return nil
	}
	return fresh
}

// lies reports whether a path is one of the folders or lies in one; the root does
// not count.
func lies(rel string, folders map[string]bool) bool {
	for ; rel != "."; rel = path.Dir(rel) {
		if folders[rel] {
			return true
		}
	}
	return false
}

// outermost are the scopes that lie in no other.
func outermost(scopes map[string]bool) []string {
	var all []string
	for _, rel := range slices.Sorted(maps.Keys(scopes)) {
		if !lies(path.Dir(rel), scopes) {
			all = append(all, rel)
		}
	}
	return all
}

// publish makes the next snapshot of a result where anything is not as it was.
func (x *root) publish(result *scan.Result) {
	d := difference(x.result, result)
	x.result = result
	for _, path := range d.touched {
		x.change(path)
	}
	if len(d.deltas) == 0 && !d.layout && len(x.changed) == 0 && !x.more {
		return
	}
	c := Change{
		Version: x.now.Version + 1, Paths: slices.Sorted(maps.Keys(x.changed)), More: x.more, Deliverables: d.deltas, Layout: d.layout,
	}
	x.changed, x.more = map[string]bool{}, false
	next := &Snapshot{Root: x.path, Version: c.Version, Mode: x.now.Mode, Layout: x.now.Layout}
	if len(d.deltas) > 0 || d.layout {
		next.Layout = &Layout{Result: result, At: x.set.o.Clock()}
	}
	x.now = next
	x.journal.add(c)
}

// change notes a path to tell.
func (x *root) change(path string) {
	if len(x.changed) < maxPaths {
		x.changed[path] = true
	} else {
		x.more = x.more || !x.changed[path]
	}
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
