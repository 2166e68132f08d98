package pdf

import (
	"context"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// maxLoads bounds the fonts that one file may make the reader load, maxEntries the widths and
// the entries of Unicode maps that all of them state.
const (
	maxLoads   = 4096
	maxEntries = 1 << 20
)

// font turns the bytes of a string into text and an advance in ems.
type font struct {
	codes     *cmap
	table     *[256]string // of a simple font without a Unicode map
	composite bool
	widths    map[int]float64 // in ems
	missing   float64         // the width of a code that has none
}

// decode returns the text of s and how far it moves, in ems.
func (f *font) decode(s str) (string, float64) {
	var b strings.Builder
	var width float64
	for len(s) > 0 {
		n := 1
		if f.composite { // a simple font's codes are bytes, whatever its map says
			n = f.codes.length(s)
		}
		code := 0
		for _, c := range []byte(s[:n]) {
			code = code<<8 | int(c)
		}
		if w, ok := f.widths[code]; ok {
			width += w
		} else {
			width += f.missing
		}
		b.WriteString(f.text(code))
		s = s[n:]
	}
	return b.String(), width
}

// text is what a code stands for: by the Unicode map, then by the encoding.
func (f *font) text(code int) string {
	if f.codes != nil {
		if text, ok := f.codes.text(code); ok {
			return text
		}
	}
	if f.table != nil {
		return f.table[code]
	}
	return string(utf8.RuneError)
}

// font loads a font once per file.
func (x *interpreter) font(ctx context.Context, v any) (*font, error) {
	id, indirect := v.(ref)
	if indirect {
		if f, ok := x.fonts[id]; ok {
			return f, nil
		}
	}
	d, err := x.f.dict(ctx, v)
	if err != nil || d == nil {
		return nil, err
	}
	f, err := x.load(ctx, d)
	if err == nil && indirect {
		x.fonts[id] = f
	}
	return f, err
}

func (x *interpreter) load(ctx context.Context, d dict) (*font, error) {
	if x.loads++; x.loads > maxLoads {
		return nil, ErrUnsupported
	}
	f := &font{widths: map[int]float64{}, missing: 0.5}
	var err error
	if f.codes, err = x.unicodeMap(ctx, d["ToUnicode"]); err != nil {
		return nil, err
	}
	if d["Subtype"] == name("Type0") {
		f.composite = true
		if f.codes == nil {
			return nil, ErrUnsupported
		}
		return f, x.compositeWidths(ctx, f, d)
	}
	if f.table, err = x.simpleTable(ctx, d["Encoding"]); err != nil {
		return nil, err
	}
	return f, x.simpleWidths(ctx, f, d)
}

// unicodeMap is the Unicode map of a font, nil for none. Fonts may share one, which is read
// once per file.
func (x *interpreter) unicodeMap(ctx context.Context, v any) (*cmap, error) {
	id, indirect := v.(ref)
	if m, ok := x.maps[id]; indirect && ok {
		return m, nil
	}
	v, err := x.f.resolve(ctx, v)
	if err != nil {
		return nil, err
	}
	s, ok := v.(*stream)
	if !ok {
		return nil, nil
	}
	data, err := x.f.inflate(ctx, s)
	if err != nil {
		return nil, err
	}
	m, err := parseCMap(data)
	if err != nil {
		return nil, err
	}
	if indirect {
		x.maps[id] = m
	}
	return m, x.take(len(m.chars) + len(m.ranges))
}

// take counts entries that fonts state.
func (x *interpreter) take(n int) error {
	if x.entries += n; x.entries > maxEntries {
		return ErrUnsupported
	}
	return nil
}

// simpleTable is the encoding of a simple font: a named one with differences.
func (x *interpreter) simpleTable(ctx context.Context, v any) (*[256]string, error) {
	v, err := x.f.resolve(ctx, v)
	if err != nil {
		return nil, err
	}
	var differences array
	if d, ok := v.(dict); ok {
		v = d["BaseEncoding"]
		if differences, err = x.f.array(ctx, d["Differences"]); err != nil {
			return nil, err
		}
	}
	base := charmap.Windows1252
	if v == name("MacRomanEncoding") {
		base = charmap.Macintosh
	}
	var table [256]string
	for i := range table {
		table[i] = string(base.DecodeByte(byte(i)))
	}
	if v == nil { // the standard encoding, known here only where it is ASCII
		for i := 0x80; i < 0x100; i++ {
			table[i] = string(utf8.RuneError)
		}
	}
	at := 0
	for _, d := range differences {
		switch d := d.(type) {
		case int:
			at = d
		case name:
			if at >= 0 && at < len(table) {
				table[at] = glyphText(string(d))
			}
			at++
		}
	}
	return &table, nil
}

func (x *interpreter) simpleWidths(ctx context.Context, f *font, d dict) error {
	list, err := x.f.array(ctx, d["Widths"])
	if err != nil {
		return err
	}
	first, _ := d["FirstChar"].(int)
	if first < 0 || first > 255 {
		return nil
	}
	list = list[:min(len(list), 256-first)]
	for i, w := range list {
		if n := numbers([]any{w}); len(n) == 1 {
			f.widths[first+i] = n[0] / 1000
		}
	}
	return x.take(len(list))
}

// compositeWidths reads the W array: "c [w w w]" and "first last w".
func (x *interpreter) compositeWidths(ctx context.Context, f *font, d dict) error {
	f.missing = 1
	list, err := x.f.array(ctx, d["DescendantFonts"])
	if err != nil || len(list) == 0 {
		return err
	}
	child, err := x.f.dict(ctx, list[0])
	if err != nil {
		return err
	}
	if n := numbers([]any{child["DW"]}); len(n) == 1 {
		f.missing = n[0] / 1000
	}
	w, err := x.f.array(ctx, child["W"])
	if err != nil {
		return err
	}
	for len(w) >= 2 {
		first, ok := w[0].(int)
		if !ok {
			return nil
		}
		if each, ok := w[1].(array); ok {
			if err := x.take(len(each)); err != nil {
				return err
			}
			for i, v := range each {
				if n := numbers([]any{v}); len(n) == 1 {
					f.widths[first+i] = n[0] / 1000
				}
			}
			w = w[2:]
			continue
		}
		if len(w) < 3 {
			return nil
		}
		last, ok := w[1].(int)
		n := numbers(w[2:3])
		if !ok || len(n) != 1 || first < 0 || last > 0xffff {
			return nil
		}
		if err := x.take(max(1, last-first+1)); err != nil {
			return err
		}
		for c := first; c <= last; c++ {
			f.widths[c] = n[0] / 1000
		}
		w = w[3:]
	}
	return nil
}
