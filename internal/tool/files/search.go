package files

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sort"
)

// searcher looks for lines in one file after the other. It belongs to one
// goroutine and uses its memory again.
type searcher struct {
	ctx     context.Context
	m       *matcher
	context int // lines around a match
	most    int // matches after which a file is done with, 0 for all
	keep    int // matching lines whose text is kept
	// spend reports whether so many more bytes may be looked at; nil allows any.
	spend func(n int) bool

	limit  int // how much is looked at at once
	buf    []byte
	binary bool // the last file was
}

// hitLine is a line to show. Rule is set where the line before it is not the one
// before it in the file.
type hitLine struct {
	number      int
	text        string
	match, rule bool
}

const (
	// firstBuffer holds most files whole.
	firstBuffer = 64 << 10
	// maxBuffer is how much of a file is looked at at once. Larger files are
	// searched piece by piece; a longer line counts as several.
	maxBuffer = 4 << 20
)

// file searches one file. What cannot be opened or is binary has no hits.
func (s *searcher) file(folder *handle, name string) (hits fileHits) {
	s.binary = false
	f, size, err := folder.open(name)
	if err != nil {
		return fileHits{}
	}
	defer func() { _ = f.Close() }() // it was only read
	if want := int(min(size+1, int64(s.limit))); cap(s.buf) < want {
		s.buf = make([]byte, max(min(firstBuffer, s.limit), want))
	}
	p := piece{number: 1}
	for n, read := 0, int64(0); ; {
		if s.ctx.Err() != nil {
			return fileHits{}
		}
		room := s.buf[n:min(cap(s.buf), s.limit)]
		if left := size - read; left > 0 && left < int64(len(room)) {
			room = room[:left] // saves asking for the end
		}
		got, err := fill(f, room)
		if err != nil && err != io.EOF {
			return fileHits{}
		}
		n, read = n+got, read+int64(got)
		if s.spend != nil && !s.spend(got) {
			return hits
		}
		p.data, p.last = s.buf[:n], err == io.EOF || read == size
		if p.number == 1 && encodingOf(p.data) != utf8Plain {
			p.data = s.plain(p)
		}
		if bytes.IndexByte(p.data, 0) >= 0 {
			s.binary = true
			return fileHits{}
		}
		s.piece(&p, &hits)
		if p.last || s.most > 0 && hits.count >= s.most {
			return hits
		}
		n = copy(s.buf, p.rest)
	}
}

// plain takes the byte order mark away; UTF-16 that is whole becomes UTF-8.
func (s *searcher) plain(p piece) []byte {
	e := encodingOf(p.data)
	if e == utf8BOM {
		return p.data[len(marks[e]):]
	}
	if text, _, err := decodeText(p.data); err == nil && p.last {
		return []byte(text)
	}
	return p.data // it has zeros, and counts as binary
}

// fill reads until p is full or the file ends.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var got int
		got, err = r.Read(p[n:])
		n += got
	}
	return n, err
}

// piece is a part of a file, from a line's beginning on.
type piece struct {
	data   []byte
	number int  // of the first line
	from   int  // where lines begin that were not searched yet; those before are context
	last   bool // the file ends here
	rest   []byte
}

// piece searches what it can of p and leaves the rest, with the context that the
// next piece needs.
func (s *searcher) piece(p *piece, hits *fileHits) {
	end := len(p.data)
	if !p.last {
		end = p.wholeLines(s.context)
	}
	counted, number := 0, p.number // lines up to here
	s.m.begin(p.data[:end])
	for at := p.from; at < end; {
		a, b := s.m.next(at)
		if a < 0 {
			break
		}
		hits.count++
		if s.keep > 0 && hits.count <= s.keep {
			number += bytes.Count(p.data[counted:a], []byte{'\n'})
			counted = a
			s.show(p, hits, a, b, number)
		}
		if s.most > 0 && hits.count >= s.most {
			return
		}
		at = b + 1
	}
	if p.last {
		return
	}
	keep := linesBack(p.data, end, s.context)
	if len(p.data)-keep > s.limit/2 {
		keep = end // room for what comes is worth more than context
	}
	p.number += bytes.Count(p.data[:keep], []byte{'\n'})
	p.from, p.rest = end-keep, p.data[keep:]
}

// wholeLines is where to stop in a piece that is not the last: after a line with
// enough lines after it to show.
func (p *piece) wholeLines(context int) int {
	end := bytes.LastIndexByte(p.data, '\n') + 1
	for range context {
		if end == 0 {
			break
		}
		end = bytes.LastIndexByte(p.data[:end-1], '\n') + 1
	}
	if end <= p.from {
		return len(p.data) // lines as long as the piece: it is cut where it is
	}
	return end
}

// linesBack is where the n lines before end begin.
func linesBack(data []byte, end, n int) int {
	for ; n > 0 && end > 0; n-- {
		end = bytes.LastIndexByte(data[:end-1], '\n') + 1
	}
	return end
}

// show keeps the line from a to b, with its context.
func (s *searcher) show(p *piece, hits *fileHits, a, b, number int) {
	last := 0 // the last line shown
	if n := len(hits.lines); n > 0 {
		last = hits.lines[n-1].number
	}
	before := linesBack(p.data, a, s.context)
	n := number - bytes.Count(p.data[before:a], []byte{'\n'})
	for at := before; at < a; n++ {
		end := lineEnd(p.data, at)
		s.add(hits, p.data[at:end], n, last, false)
		at = end + 1
	}
	s.add(hits, p.data[a:b], number, last, true)
	n = number + 1
	for at := b + 1; at < len(p.data) && n <= number+s.context; n++ {
		end := lineEnd(p.data, at)
		s.add(hits, p.data[at:end], n, last, false)
		at = end + 1
	}
}

// add adds a line, or marks one that is there as a match.
func (s *searcher) add(hits *fileHits, line []byte, number, last int, match bool) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if number <= last {
		if match {
			i := sort.Search(len(hits.lines), func(i int) bool { return hits.lines[i].number >= number })
			hits.lines[i].match = true
			hits.lines[i].text = s.text(line, match)
		}
		return
	}
	rule := len(hits.lines) > 0 && hits.lines[len(hits.lines)-1].number != number-1
	hits.lines = append(hits.lines, hitLine{number: number, text: s.text(line, match), match: match, rule: rule && s.context > 0})
}

func (s *searcher) text(line []byte, match bool) string {
	a, b := 0, 0
	if match && len(line) > maxHitLine {
		a, b = s.m.where(line)
	}
	return window(line, a, b)
}

// lineEnd is the end of the line that begins at a.
func lineEnd(data []byte, a int) int {
	if i := bytes.IndexByte(data[a:], '\n'); i >= 0 {
		return a + i
	}
	return len(data)
}

// lineAround is the line that position at is in.
func lineAround(data []byte, at int) (a, b int) {
	return bytes.LastIndexByte(data[:at], '\n') + 1, lineEnd(data, at)
}

// clone is a matcher with memory of its own, for another goroutine.
func (m *matcher) clone() *matcher {
	c := *m
	c.nextAt = slices.Clone(m.nextAt)
	return &c
}
