package session

import (
	"os"

	"belay/internal/durable"
)

// followed makes the log in memory agree with the files, and, when another
// process may write to it, makes sure that its writes wake this one's readers.
// l.mu is held.
func (l *sessionState) followed() error {
	if l.gone != nil || l.lease != nil && l.log.loaded {
		return l.gone
	}
	if l.watch == nil {
		// The watch comes first, so nothing between the look and the wait is
		// missed.
		l.watch = l.store.watch.add(l.path.file(dirLog), l.noticed)
	}
	if _, err := l.record(); err != nil {
		return err
	}
	return storage("the event log cannot be read", l.refresh())
}

// noticed is called by the watcher, on a change and now and then without one.
func (l *sessionState) noticed(string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lease == nil && l.wake != nil && !l.log.current(l.path) {
		l.broadcast()
	}
}

// unwatch stops following another process. l.mu is held.
func (l *sessionState) unwatch() {
	if l.watch != nil {
		l.store.watch.remove(l.watch)
		l.watch = nil
	}
}

// refresh picks up what another process did to the log. l.mu is held and this
// process is not the writer.
func (l *sessionState) refresh() error {
	if l.log.current(l.path) {
		return nil
	}
	// Anyone who looks finds it for all.
	defer l.broadcast()
	root, err := l.path.open()
	if missing(err) {
		return notFound(l.id)
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if l.log.loaded && l.grew(root) {
		return l.readGrowth(root)
	}
	old := l.log
	if _, err := l.loadLog(root, nil, sameBoot); err != nil {
		return err
	}
	if old.last == l.log.last {
		l.log.tail = old.tail
	}
	return nil
}

// grew reports whether the segments known are still the log's beginning, so that
// only what follows has to be read.
func (l *sessionState) grew(root *os.Root) bool {
	g := &l.log
	if len(g.segs) == 0 || g.active.seen == nil {
		return false
	}
	info, err := root.Lstat(g.active.name)
	if err != nil || info.Size() < g.active.size || !os.SameFile(info, g.active.seen) {
		return false
	}
	first, err := root.Lstat(g.segs[0].name())
	return err == nil && first.Mode().IsRegular()
}

// readGrowth reads the lines that were added to the active segment, then the
// segments after it.
func (l *sessionState) readGrowth(root *os.Root) error {
	g := &l.log
	// The list is taken first: a segment that is not in it was begun after the
	// active one was read, and shows at the next look.
	numbers, err := g.list(root)
	if err != nil {
		return err
	}
	if err := l.readMore(root); err != nil {
		return err
	}
	for _, n := range numbers {
		if n <= g.activeSegment() {
			continue
		}
		first, err := firstSeq(root, n)
		if err != nil {
			return err
		}
		if first <= g.last {
			g.folder = nil // still empty: its first line would not show in the folder
			continue
		}
		_ = g.active.close() // not open: this process is not the writer
		g.active = hashChain{name: segmentName(n)}
		g.segs = append(g.segs[:len(g.segs):len(g.segs)], segment{n, first})
		if err := l.readMore(root); err != nil {
			return err
		}
	}
	return nil
}

// readMore reads the active segment from where it was left.
func (l *sessionState) readMore(root *os.Root) error {
	g := &l.log
	f, err := openRegular(root, g.active.name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	start := g.active.size
	if _, err := f.Seek(start, 0); err != nil {
		return err
	}
	n, err := durable.Scan(f, maxLine, func(b []byte, end int64) error {
		if e, err := parseEvent(b); err == nil && e.Seq > g.last {
			g.add(e, start+end, l.store.o.TailBytes)
		}
		return nil
	})
	g.active.size += n
	g.active.sum = nil // its next writer has to read it whole
	g.active.seen = info
	return err
}
