package supervisor

import (
	"errors"
	"io"
)

// message is a [Plan] or an [Answer]. It passes its fields one after the other,
// in a fixed order: both ends are the same program.
type message interface{ pass(w *wire) }

// maxMessageBytes is more than any plan needs: the longest command and the longest
// environment that the kernel starts a program with fit.
const maxMessageBytes = 4 << 20

var errMessage = errors.New("the message is not well-formed")

// Send writes a message to w, in one piece.
func Send(w io.Writer, m message) error {
	out := wire{data: make([]byte, numberBytes, 4<<10)}
	m.pass(&out)
	if len(out.data) > maxMessageBytes {
		return errMessage
	}
	put(out.data, uint64(len(out.data)-numberBytes))
	_, err := w.Write(out.data)
	return err
}

// Receive reads one message from r, and nothing after it.
func Receive(r io.Reader, m message) error {
	var size [numberBytes]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := get(size[:])
	if n > maxMessageBytes {
		return errMessage
	}
	in := wire{data: make([]byte, n), reading: true}
	if _, err := io.ReadFull(r, in.data); err != nil {
		return err
	}
	m.pass(&in)
	if in.failed || len(in.data) > 0 {
		return errMessage
	}
	return nil
}

// wire passes values: it appends them to data or, reading, takes them off its
// front. One description of a message serves both ways, so that they cannot
// differ.
type wire struct {
	data    []byte
	reading bool
	failed  bool // there was less than what is read
}

// numberBytes is the size of a number, lowest byte first.
const numberBytes = 8

func put(b []byte, n uint64) {
	for i := range numberBytes {
		b[i] = byte(n >> (8 * i))
	}
}

func get(b []byte) (n uint64) {
	for i := range numberBytes {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}

// take takes n bytes off the front, nil when there are less.
func (w *wire) take(n uint64) []byte {
	if n > uint64(len(w.data)) {
		w.failed, w.data = true, nil
		return nil
	}
	taken := w.data[:n]
	w.data = w.data[n:]
	return taken
}

func (w *wire) number(n *uint64) {
	if !w.reading {
		var b [numberBytes]byte
		put(b[:], *n)
		w.data = append(w.data, b[:]...)
		return
	}
	*n = 0
	if b := w.take(numberBytes); b != nil {
		*n = get(b)
	}
}

func (w *wire) truth(t *bool) {
	var n uint64
	if *t {
		n = 1
	}
	w.number(&n)
	*t = n == 1
}

func (w *wire) text(s *string) {
	n := uint64(len(*s))
	w.number(&n)
	if !w.reading {
		w.data = append(w.data, *s...)
		return
	}
	*s = string(w.take(n))
}

// list passes values of one kind. Each takes at least a number.
func list[T any](w *wire, l *[]T, each func(*wire, *T)) {
	n := uint64(len(*l))
	w.number(&n)
	if w.reading {
		if n > uint64(len(w.data))/numberBytes {
			w.failed, w.data, n = true, nil, 0
		}
		*l = make([]T, n)
	}
	for i := range *l {
		each(w, &(*l)[i])
	}
}

// optional passes what may be absent.
func optional[T any](w *wire, v **T, one func(*wire, *T)) {
	there := *v != nil
	w.truth(&there)
	if !there {
		*v = nil
		return
	}
	if w.reading {
		*v = new(T)
	}
	one(w, *v)
}
