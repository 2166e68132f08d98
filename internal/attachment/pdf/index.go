package pdf

import (
	"bytes"
	"context"
	"io"
	"slices"
)

// Budgets of the page counter. A file that needs more is the engine's.
const (
	maxObjects  = 200_000  // indirect objects in a file
	maxObject   = 4 << 20  // bytes of one object outside its stream
	maxInflated = 64 << 20 // bytes of all streams that are read
	maxStream   = 16 << 20 // bytes of one of them
	maxStreams  = 50_000   // streams that are read, again counted again
	maxLexed    = 16 << 20 // bytes of objects that are parsed, again if not kept
	maxLooked   = 1 << 29  // bytes that are read to parse objects
	maxPages    = 20_000   // pages, and inner nodes of their tree
)

// file is an opened PDF. It is not safe for concurrent use.
type file struct {
	src  io.ReaderAt
	size int64
	root ref

	objects  map[int]place
	boxes    []place // object streams, not unpacked yet
	contents map[int64][]byte
	kept     map[int]any // parsed objects

	// Spent from maxInflated, maxLexed, maxLooked and maxStreams; packed is what
	// the inflated bytes took in the file.
	inflated, lexed, looked int64
	packed                  int64
	streams                 int
	keptLexed               int64
}

// place is where an object begins: in the file, or in the object stream that
// begins there.
type place struct {
	at     int64
	boxed  bool
	offset int
}

// open finds the objects of the file by scanning it once, front to back. It does
// not read the cross-reference table: the scan works on damaged tables too, and a
// table's numbers need not be believed.
func open(ctx context.Context, src io.ReaderAt, size int64) (*file, error) {
	f := &file{src: src, size: size, objects: map[int]place{}, contents: map[int64][]byte{}, kept: map[int]any{}}
	if err := f.scan(ctx); err != nil {
		return nil, err
	}
	if err := f.unbox(ctx); err != nil {
		return nil, err
	}
	if f.root == 0 {
		return nil, ErrUnsupported
	}
	return f, nil
}

// A scan looks at the file through a window that moves on by step. What begins
// in the step may reach into the rest, so that nothing is missed at a border.
const (
	scanStep = 64 << 10
	scanPeek = 1 << 10
)

func (f *file) scan(ctx context.Context) error {
	window := make([]byte, 0, 64+scanStep+scanPeek)
	for from := int64(0); from < f.size; from += scanStep {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := min(from, 64) // an object's number precedes its keyword
		window = window[:min(before+scanStep+scanPeek, f.size-from+before)]
		if n, err := f.src.ReadAt(window, from-before); n < len(window) {
			if err == io.EOF {
				err = ErrUnsupported
			}
			return err
		}
		if err := f.scanWindow(ctx, window, from-before, int(before)); err != nil {
			return err
		}
	}
	return nil
}

// scanWindow records the objects and trailers whose keyword begins in the step
// that starts at begin.
func (f *file) scanWindow(ctx context.Context, window []byte, at int64, begin int) error {
	end := min(begin+scanStep, len(window))
	for i := begin; i < end; {
		j := bytes.Index(window[i:min(end+2, len(window))], []byte("obj"))
		if j < 0 {
			break
		}
		i += j
		if id, start, ok := objectNumber(window[:i]); ok && i < end {
			if len(f.objects) >= maxObjects {
				return ErrUnsupported
			}
			f.objects[id] = place{at: at + int64(start)}
			if err := f.special(ctx, window[i+3:min(i+3+scanPeek, len(window))], at+int64(start)); err != nil {
				return err
			}
		}
		i += 3
	}
	for i := begin; i < end; {
		j := bytes.Index(window[i:min(end+6, len(window))], []byte("trailer"))
		if j < 0 {
			return nil
		}
		i += j + len("trailer")
		v, err := f.parse(at+int64(i), maxObject)
		if d, ok := v.(dict); ok && err == nil {
			if err := f.trailer(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// special looks at an object's beginning for the two kinds of stream that the
// reader must know of before anyone asks for them.
func (f *file) special(ctx context.Context, head []byte, at int64) error {
	for _, end := range []string{"stream", "endobj"} {
		if i := bytes.Index(head, []byte(end)); i >= 0 {
			head = head[:i]
		}
	}
	switch {
	case bytes.Contains(head, []byte("/ObjStm")):
		f.boxes = append(f.boxes, place{at: at})
	case bytes.Contains(head, []byte("/XRef")):
		s, err := f.streamAt(ctx, at)
		if err == nil {
			return f.trailer(s.dict)
		}
	}
	return nil
}

// trailer takes the catalogue's place from a trailer; the last one that names
// it counts, as in a file that was appended to.
func (f *file) trailer(d dict) error {
	if d["Encrypt"] != nil {
		return ErrEncrypted
	}
	if root, ok := d["Root"].(ref); ok {
		f.root = root
	}
	return nil
}

// objectNumber parses "id gen " at the end of b, which precedes a keyword obj.
func objectNumber(b []byte) (id, start int, ok bool) {
	i := backSpace(b, len(b))
	gen := backDigits(b, i)
	if gen == i {
		return 0, 0, false
	}
	i = backSpace(b, gen)
	if i == gen {
		return 0, 0, false
	}
	start = backDigits(b, i)
	if start == i || i-start > 8 || start > 0 && isRegular(b[start-1]) {
		return 0, 0, false
	}
	for _, c := range b[start:i] {
		id = id*10 + int(c-'0')
	}
	return id, start, id > 0
}

func backSpace(b []byte, i int) int {
	for i > 0 && isSpace(b[i-1]) {
		i--
	}
	return i
}

func backDigits(b []byte, i int) int {
	for i > 0 && b[i-1] >= '0' && b[i-1] <= '9' {
		i--
	}
	return i
}

// unbox lists what the object streams hold. An object that exists twice is the
// one whose bytes come later, in the file or in a stream.
func (f *file) unbox(ctx context.Context) error {
	slices.SortFunc(f.boxes, func(a, b place) int { return int(a.at - b.at) })
	for _, box := range f.boxes {
		s, err := f.streamAt(ctx, box.at)
		if err != nil {
			return err
		}
		data, err := f.inflate(ctx, s)
		if err != nil {
			return err
		}
		f.contents[box.at] = data
		first, ok := s.dict["First"].(int)
		if !ok || first < 0 || first > len(data) {
			return ErrUnsupported
		}
		l := &lexer{data: data[:first]}
		for {
			l.values = 0
			id, err := l.value()
			if err != nil {
				break
			}
			offset, _ := l.value()
			n, ok1 := id.(int)
			o, ok2 := offset.(int)
			if !ok1 || !ok2 || n <= 0 || o < 0 || o > len(data)-first {
				return ErrUnsupported
			}
			if len(f.objects) >= maxObjects {
				return ErrUnsupported
			}
			if old, ok := f.objects[n]; !ok || old.at < box.at {
				f.objects[n] = place{at: box.at, boxed: true, offset: first + o}
			}
		}
	}
	return nil
}
