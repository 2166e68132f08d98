package session

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"belay/internal/event"
)

// eventLog is a session's log in memory: which files it has, where it ends, and
// its newest events. The events before those are only in the files.
//
// The log is cut into segments, log/0001.jsonl and so on, so that old events can
// be dropped by removing whole files. Only the last one is written to.
type eventLog struct {
	loaded bool
	segs   []segment // ascending, never changed in place: readers share it
	last   int64     // the last sequence given, 0 for none
	end    event.Event
	active hashChain // the last segment
	tail   tail
	// folder describes the log's folder at looked, when top was its last file:
	// its time moves when a segment comes or goes. Nil means: look again.
	folder fs.FileInfo
	looked time.Time
	top    int
}

// bounds returns the first and last sequence that can be read; an empty log has
// first = last+1.
func (g *eventLog) bounds() (first, last int64) {
	if len(g.segs) == 0 {
		return g.last + 1, g.last
	}
	return g.segs[0].first, g.last
}

// activeSegment is the number of the last file, 0 for none.
func (g *eventLog) activeSegment() int {
	if len(g.segs) == 0 {
		return 0
	}
	return g.segs[len(g.segs)-1].n
}

// add takes an event that now ends at the active segment's offset.
func (g *eventLog) add(e event.Event, end int64, limit int) {
	g.last = e.Seq
	g.end = event.Event{Seq: e.Seq, Turn: e.Turn, Type: e.Type}
	g.tail.push(e, pos{g.activeSegment(), end}, limit)
}

// loadLog reads what the log's folder has: the first sequence of every segment
// and all of the last one. With a note the files are adopted by their next
// writer (see [hashChain.adopt]), which yields sentences about what was changed.
// l.mu is held.
func (l *sessionState) loadLog(root *os.Root, n *note, after boot) ([]string, error) {
	g := &l.log
	_ = g.close() // what was appended through it is in the files
	*g = eventLog{}
	numbers, err := g.list(root)
	if err != nil {
		return nil, err
	}
	var said []string
	var known segmentHashes
	if n != nil {
		known = segmentHashesOf(l.store.stateDir.Root(), l.id)
		said = l.missedSegments(root, known, numbers, *n, after)
	}
	for len(numbers) > 0 && g.last == 0 {
		// A file without events was left by a crash before its first line, or is
		// spoilt: the one before it reports where the log ends.
		number := numbers[len(numbers)-1]
		numbers = numbers[:len(numbers)-1]
		sentence, err := l.loadLast(root, number, n, after)
		if err != nil {
			return nil, err
		}
		if sentence != "" {
			said = append(said, sentence)
		}
	}
	var earlier []segment
	for _, number := range numbers {
		first, err := firstSeq(root, number)
		if err != nil {
			return nil, err
		}
		if first > 0 {
			earlier = append(earlier, segment{number, first})
		}
	}
	g.segs = append(earlier, g.segs...)
	// The writer of a segment that was finished died before the next one had begun: it
	// grows on.
	last := strconv.Itoa(g.activeSegment())
	if _, finished := known[last]; finished {
		if err := l.changeSegmentHashes(func(k segmentHashes) { delete(k, last) }); err != nil {
			return nil, err
		}
	}
	if n != nil && n.LastSeq > g.last {
		// The log lost its end. A sequence that a reader may have seen is never
		// given to another event; readers are notified of the gap.
		g.last = n.LastSeq
	}
	if n != nil && after != sameBoot {
		g.last = max(g.last, l.transcript.lastGiven())
	}
	if n == nil && g.top > g.activeSegment() {
		g.folder = nil // the first line of a file that is still empty would not show
	}
	g.loaded = true
	return said, nil
}

// loadLast reads the segment that the log ends in, if it has events.
func (l *sessionState) loadLast(root *os.Root, number int, n *note, after boot) (string, error) {
	g := &l.log
	_ = g.active.close() // of the segment after it, which had no event
	g.active = hashChain{name: segmentName(number)}
	var newest []byte // the last line, to know how the log ends
	var newer error
	line := func(b []byte, _ int64) {
		if e := checkHeader(g.active.name, b); e != nil {
			newer = e
		}
		seq := seqOf(b)
		if seq <= g.last {
			return
		}
		if len(g.segs) == 0 {
			g.segs = []segment{{number, seq}}
		}
		g.last = seq
		newest = append(newest[:0], b...)
	}
	var (
		sentence string
		err      error
	)
	if n == nil {
		err = g.active.read(root, line)
	} else {
		var want position
		if n.Segment == number && after == sameBoot {
			want = n.Log
		}
		sentence, err = g.active.adopt(root, want, n.settled() && number >= n.Segment && after == sameBoot, l.store.o.openLines, line)
	}
	if err = errors.Join(err, newer); err != nil {
		return "", err
	}
	if e, err := parseEvent(newest); err == nil {
		g.end = e
	}
	return sentence, nil
}

// list returns the numbers of the log's files and notes how the folder looked.
func (g *eventLog) list(root *os.Root) ([]int, error) {
	info, err := root.Stat(dirLog)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	g.sawFolder(info)
	numbers, err := listSegments(root)
	g.top = 0
	if len(numbers) > 0 {
		g.top = numbers[len(numbers)-1]
	}
	return numbers, err
}

func (g *eventLog) sawFolder(info fs.FileInfo) {
	g.folder, g.looked = info, time.Now()
}

// settle notes how the folder looks after our own changes to it.
func (g *eventLog) settle(p sessionPath) {
	g.active.settle()
	if g.folder != nil {
		return
	}
	if info, err := os.Lstat(p.file(dirLog)); err == nil {
		g.sawFolder(info)
		g.top = g.activeSegment()
	}
}

// coarse is how much later than the last a change of a folder must be for its
// time to tell them apart on every file system.
const coarse = 3 * time.Second

// sameFolder reports whether no segment came or went since the last look.
func (g *eventLog) sameFolder(p sessionPath) bool {
	info, err := os.Lstat(p.file(dirLog))
	if g.folder == nil {
		return missing(err) && len(g.segs) == 0
	}
	if err != nil || !unchanged(g.folder, info) {
		return false
	}
	if g.looked.Sub(info.ModTime()) > coarse {
		return true
	}
	// A second change at nearly the same time would not show: count the files.
	now := time.Now()
	entries, err := os.ReadDir(p.file(dirLog))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if segmentNumber(e.Name()) > g.top {
			return false
		}
	}
	g.looked = now
	return true
}

// current reports whether the log's files are as they were last seen.
func (g *eventLog) current(p sessionPath) bool {
	if !g.loaded || !g.sameFolder(p) {
		return false
	}
	return len(g.segs) == 0 || g.active.current(p.file(g.active.name))
}

func (g *eventLog) close() error {
	return g.active.close()
}
