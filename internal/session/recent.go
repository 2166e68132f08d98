package session

import (
	"io/fs"
	"os"
	"slices"
	"sync"

	"belay/internal/event"
)

// recentBytes is what recent holds in all, as [part].size counts it.
const recentBytes = 4 << 20

// recent keeps the parts of logs that readers parsed last. Readers that replay a log at
// the same time then parse each part once together. What a reader gets is a list of its
// own, so nobody keeps more in memory than the part that it asked for.
//
// A part is used only while its file is the same one, and no shorter.
type recent struct {
	mu    sync.Mutex
	parts []parsed // the oldest first
	bytes int64
}

// parsed is a part of a segment of a session.
type parsed struct {
	part
	state  *sessionState
	number int
	file   fs.FileInfo
	// takes is what each event takes in memory, ends where its line ends.
	takes, ends []int64
}

// read returns the events after seq of a session's segment; see parseSegment. A segment
// that is not there has none.
func (c *recent) read(s *sessionState, root *os.Root, number int, off, size, seq, room int64) (part, error) {
	f, err := openRegular(root, segmentName(number))
	if missing(err) {
		return part{end: pos{number, off}}, nil
	}
	if err != nil {
		return part{}, err
	}
	defer func() { _ = f.Close() }()
	file, err := f.Stat()
	if err != nil {
		return part{}, err
	}
	if p, ok := c.find(s, number, file, size, seq, room); ok {
		return p, nil
	}
	p, err := parseSegment(f, number, off, size, seq, room)
	if err != nil {
		return part{}, err
	}
	if len(p.evs) > 1 {
		p.state, p.file = s, file
		c.add(p)
	}
	return p.part, nil
}

// find returns the events after seq that fit into the room, where a part has them.
func (c *recent) find(s *sessionState, number int, file fs.FileInfo, size, seq, room int64) (part, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.parts) - 1; i >= 0; i-- {
		if p := &c.parts[i]; p.state == s && p.number == number && p.evs[0].Seq <= seq+1 && seq < p.evs[len(p.evs)-1].Seq && p.holds(file) {
			return p.after(seq, size, room)
		}
	}
	return part{}, false
}

// holds reports whether the file still has what was parsed of it.
func (p *parsed) holds(file fs.FileInfo) bool {
	return os.SameFile(p.file, file) && (file.Size() > p.file.Size() || file.Size() == p.file.Size() && file.ModTime().Equal(p.file.ModTime()))
}

// after is the part that follows seq, within a size of the file and a room.
func (p *parsed) after(seq, size, room int64) (part, bool) {
	from := int(seq + 1 - p.evs[0].Seq) // a part has no hole
	out := part{end: pos{seg: p.number}}
	to := from
	for to < len(p.evs) && p.ends[to] <= size && out.size+p.takes[to] <= room {
		out.size += p.takes[to]
		to++
	}
	if to == from {
		return part{}, false
	}
	out.evs, out.end.off = slices.Clone(p.evs[from:to]), p.ends[to-1]
	return out, true
}

// add keeps a part, and drops old ones.
func (c *recent) add(p parsed) {
	p.evs = slices.Clone(p.evs)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parts = append(c.parts, p)
	c.bytes += p.size
	drop := 0
	for ; c.bytes > recentBytes && drop < len(c.parts); drop++ {
		c.bytes -= c.parts[drop].size
	}
	c.parts = slices.Delete(c.parts, 0, drop)
}

// forget drops the parts of a session that nobody reads any more.
func (c *recent) forget(s *sessionState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parts = slices.DeleteFunc(c.parts, func(p parsed) bool {
		if p.state == s {
			c.bytes -= p.size
		}
		return p.state == s
	})
}

// grow adds an event whose line ends there.
func (p *parsed) grow(e event.Event, takes, end int64) {
	p.evs = append(p.evs, e)
	p.takes, p.ends = append(p.takes, takes), append(p.ends, end)
	p.size += takes
	p.end.off = end
}
