package pdf

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"unicode/utf8"
)

// maxOperators bounds the operators that one file may make the reader run.
const maxOperators = 5_000_000

// Text returns the text of the pages that are wanted, at most so many bytes of
// it. It fails with ErrUnsupported rather than leave something out; whether what it found
// makes sense is for [Convincing] to say.
func (f *File) Text(ctx context.Context, want Extent) (Extract, error) {
	out := &writer{limit: want.Bytes}
	x := &interpreter{f: f, out: out, fonts: map[ref]*font{}, maps: map[ref]*cmap{}}
	pages := 0
	err := f.walk(ctx, func(p page) error {
		pages++
		if out.cut || want.beyond(pages) {
			return nil // the rest is only counted
		}
		if pages > 1 {
			out.add(pageBreak)
		}
		out.forget()
		content, err := x.content(ctx, p.dict["Contents"])
		if err != nil {
			return err
		}
		return x.run(ctx, content, p.resources, 0)
	})
	// What is wanted was read before the file became too long to count.
	more := errors.Is(err, ErrUnsupported) && want.beyond(pages)
	if err != nil && !more {
		return Extract{}, err
	}
	if pages == 0 {
		return Extract{}, ErrUnsupported
	}
	return Extract{Pages: pages, More: more, Text: tidy(out.b.String()), Cut: out.cut}, nil
}

// content joins the streams that make up a page.
func (x *interpreter) content(ctx context.Context, v any) ([]byte, error) {
	parts, err := x.f.array(ctx, v)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	size := 0
	for _, part := range parts {
		v, err := x.f.resolve(ctx, part)
		if err != nil {
			return nil, err
		}
		s, ok := v.(*stream)
		if !ok {
			continue
		}
		data, err := x.f.inflate(ctx, s)
		if err != nil {
			return nil, err
		}
		if size += len(data); size > maxStream {
			return nil, ErrUnsupported
		}
		all = append(all, data)
	}
	return bytes.Join(all, []byte("\n")), nil
}

// writer collects text and decides, from where glyphs are put, where lines and
// words end.
type writer struct {
	b     strings.Builder
	limit int
	// The end and size of the last glyph on the page; fresh when there was none.
	x, y, size float64
	fresh      bool
	cut        bool
}

// forget starts a page: the next glyph follows nothing.
func (w *writer) forget() { w.fresh = true }

// add appends s, or what there is room for, at a character's end.
func (w *writer) add(s string) {
	if room := w.limit - w.b.Len(); len(s) > room {
		w.cut = true
		for room = max(room, 0); room > 0 && !utf8.RuneStart(s[room]); {
			room--
		}
		s = s[:room]
	}
	w.b.WriteString(s)
}

// put writes s at the position of m with an effective font size, and remembers
// where it ends.
func (w *writer) put(s string, m matrix, size, advance float64) {
	x, y := m[4], m[5]
	if !w.fresh {
		switch dy := math.Abs(y - w.y); {
		case dy > 0.6*max(size, w.size): // less is an exponent or an index
			w.line()
		case x-w.x > size*0.2 || x < w.x-size*2:
			w.word(s)
		}
	}
	w.fresh = false
	w.add(s)
	w.x, w.y, w.size = x+advance, y, size
}

func (w *writer) line() {
	if !strings.HasSuffix(w.b.String(), "\n") {
		w.add("\n")
	}
}

// word separates from what follows unless a space is there already.
func (w *writer) word(next string) {
	text := w.b.String()
	if text == "" || strings.HasSuffix(text, " ") || strings.HasSuffix(text, "\n") || strings.HasPrefix(next, " ") {
		return
	}
	w.add(" ")
}

// ligatures are spelled out, or no word with one would be found again. None grows.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// tidy drops the spaces at the ends of lines and all but one of the empty lines
// in a row, of which word processors leave many.
func tidy(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	empty := 0
	for line := range strings.Lines(ligatures.Replace(text)) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			empty++
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if empty > 0 {
				b.WriteByte('\n')
			}
		}
		empty = 0
		b.WriteString(line)
	}
	return b.String()
}

// matrix is the PDF's [a b c d e f].
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// mul returns m applied before n.
func (m matrix) mul(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}
