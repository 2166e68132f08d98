package session

import (
	"fmt"
	"os"
	"strconv"

	"belay/internal/durable"
	"belay/internal/event"
)

// Emit appends events to the session's log with one write and then lets readers
// see them. Either all drafts are in the file, with the next sequences, or none
// is and the error says why (STORAGE_FAILURE). Calls may come from several
// goroutines; each call's events stay together.
//
// The events are shared with readers and must not be changed.
func (l *Lease) Emit(turnID string, drafts ...event.Draft) ([]event.Event, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	v := l.state
	v.emit.Lock()
	defer v.emit.Unlock()
	// Nobody else gives sequences while emit is held.
	b, err := encodeEvents(drafts, turnID, l.LastSeq(), v.store.o.Clock())
	if err != nil {
		return nil, err
	}
	if err := l.reserve(b.evs[len(b.evs)-1].Seq); err != nil {
		return nil, err
	}
	if err := l.appendLog(b); err != nil {
		return nil, storage("the event log could not be written", err)
	}
	if v.store.o.Observer != nil {
		v.store.o.Observer(v.id, b.evs)
	}
	return b.evs, nil
}

// LastSeq is the sequence of the log's last event, 0 when there is none.
func (l *Lease) LastSeq() int64 {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	return l.state.log.last
}

// appendLog writes lines to the active segment, or to a new one when that is
// full, and wakes the readers.
func (l *Lease) appendLog(b batch) error {
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.check(); err != nil {
		return err
	}
	g := &v.log
	full := g.active.size > 0 && g.active.size+int64(len(b.lines)) > v.store.o.SegmentBytes
	if len(g.segs) == 0 || full {
		if err := v.rotate(b.evs[0].Seq); err != nil {
			return err
		}
	}
	if err := v.openChain(&g.active); err != nil {
		return err
	}
	lines := b.lines
	if g.active.size == 0 {
		lines = append(segmentHeader[:len(segmentHeader):len(segmentHeader)], lines...)
	}
	start := g.active.size + int64(len(lines)-len(b.lines))
	if err := g.active.append(lines); err != nil {
		return err
	}
	for i, e := range b.evs {
		g.add(e, start+int64(b.ends[i]), v.store.o.TailBytes)
	}
	v.broadcast()
	return nil
}

// openChain opens a chain's file for appending, once. v.mu is held.
func (v *sessionState) openChain(c *hashChain) error {
	if c.lines != nil {
		return nil
	}
	root, err := v.root()
	if err != nil {
		return err
	}
	return c.openLines(root, v.store.o.openLines)
}

// rotate makes a new segment the active one; its first event will have the
// sequence first. The finished one stays open until it is committed. v.mu is
// held.
func (v *sessionState) rotate(first int64) error {
	g := &v.log
	root, err := v.root()
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(root, dirLog, 0o700); err != nil {
		return err
	}
	next, err := v.freshChain(root)
	if err != nil {
		return err
	}
	if n := len(g.segs); n > 0 {
		if err := v.finishSegment(root, g.segs[n-1].n); err != nil {
			_ = next.close() // empty, and used by the next try
			return err
		}
	}
	g.active = next
	g.segs = append(g.segs[:len(g.segs):len(g.segs)], segment{segmentNumber(next.name[len(dirLog)+1:]), first})
	g.folder = nil
	return nil
}

// finishSegment makes the active segment durable, which grows no more, with its
// name, and notes its hash. v.mu is held.
func (v *sessionState) finishSegment(root *os.Root, number int) error {
	c := &v.log.active
	if err := v.openChain(c); err != nil {
		return err
	}
	if err := c.lines.SyncAs(durable.LogSegment); err != nil {
		return err
	}
	for _, dir := range []string{dirLog, "."} {
		if err := durable.FlushDir(root, dir, durable.LogSegment); err != nil {
			return err
		}
	}
	end := c.position()
	if err := v.changeSegmentHashes(func(k segmentHashes) { k[strconv.Itoa(number)] = end }); err != nil {
		return err
	}
	return c.close()
}

// freshChain opens the next segment file. One that a crash left without an event
// is replaced; one with anything in it is left alone.
func (v *sessionState) freshChain(root *os.Root) (hashChain, error) {
	g := &v.log
	number := 0
	if n := len(g.segs); n > 0 {
		number = g.segs[n-1].n
	}
	for range 10_000 {
		number++
		info, err := root.Lstat(segmentName(number))
		if err == nil && info.Mode().IsRegular() && info.Size() <= int64(len(segmentHeader)) {
			err = removeIfThere(root, segmentName(number))
		} else if err == nil || !missing(err) {
			continue
		}
		if err != nil && !missing(err) {
			return hashChain{}, err
		}
		c := newHashChain(segmentName(number))
		return c, c.openLines(root, v.store.o.openLines)
	}
	return hashChain{}, fmt.Errorf("no free segment after number %d", number)
}
