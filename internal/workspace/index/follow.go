package index

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/scan"
)

// listen begins to watch. What happened since the folders were scanned is not
// known, so the project is in doubt.
func (x *root) listen(folders []string) {
	w, err := newWatcher(x.path)
	if err == nil {
		x.watch = w
		_, err = x.follow(folders)
		x.followProposals()
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
			return nil, fmt.Errorf("it has more than %d folders", x.set.o.MaxWatches)
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
	x.notifyPolling(reason)
	x.now = &Snapshot{Root: x.path, Version: x.now.Version, Mode: Polling, Layout: x.now.Layout}
}

func (x *root) notifyPolling(reason error) {
	x.set.notified.Do(func() {
		x.set.o.Logger.Warn("a project is polled because the system does not report its changes", "project", x.path,
			"every", x.set.o.Poll, "reason", reason, "hint", "raise fs.inotify.max_user_watches, or leave it: answers stay right, and take longer")
	})
}

// collect takes what happened and works out what has to be looked at.
func (x *root) collect() {
	if x.watch == nil {
		return
	}
	happened, lost := x.watch.take()
	x.doubt = x.doubt || lost
	for _, e := range happened {
		if isBelay(e.path) {
			x.noteProposals(e)
			continue
		}
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
