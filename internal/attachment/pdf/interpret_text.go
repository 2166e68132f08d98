package pdf

import (
	"context"
	"math"
	"strings"
)

// shown is how many bytes of a string are put at once. It is even, so that no
// code is torn.
const shown = 4 << 10

// show puts strings; numbers between them move back by thousandths of the size.
// Text in a font that is not there would be lost, so it fails the file.
func (s *scope) show(items []any) error {
	if s.font == nil {
		return ErrUnsupported
	}
	for _, item := range items {
		switch v := item.(type) {
		case str:
			for len(v) > 0 && !s.x.out.cut {
				n := min(len(v), shown)
				s.put(v[:n])
				v = v[n:]
			}
		case int:
			s.kern(float64(v))
		case float64:
			s.kern(v)
		}
	}
	return nil
}

// put puts one string and moves on by its width.
func (s *scope) put(v str) {
	text, width := s.font.decode(v)
	gaps := s.charGap*float64(len(v)) + s.wordGap*float64(strings.Count(string(v), " "))
	advance := (width*s.size + gaps) * s.stretch
	m := s.tm.mul(s.ctm)
	s.x.out.put(text, m, math.Abs(s.size)*math.Hypot(m[2], m[3]), advance*math.Hypot(m[0], m[1]))
	s.tm = matrix{1, 0, 0, 1, advance, 0}.mul(s.tm)
}

func (s *scope) kern(v float64) {
	s.tm = matrix{1, 0, 0, 1, -v / 1000 * s.size * s.stretch, 0}.mul(s.tm)
}

// setFont selects a font; one that cannot be decoded fails the file.
func (s *scope) setFont(ctx context.Context, args []any) error {
	if len(args) != 2 {
		return nil
	}
	key, _ := args[0].(name)
	if n := numbers(args[1:]); len(n) == 1 {
		s.size = n[0]
	}
	fonts, err := s.x.f.dict(ctx, s.resources["Font"])
	if err != nil {
		return err
	}
	s.font, err = s.x.font(ctx, fonts[key])
	return err
}

// numbers returns args as numbers, or nil if one is not.
func numbers(args []any) []float64 {
	if len(args) > 6 {
		return nil
	}
	out := make([]float64, 0, 6)
	for _, a := range args {
		switch a := a.(type) {
		case int:
			out = append(out, float64(a))
		case float64:
			out = append(out, a)
		default:
			return nil
		}
	}
	return out
}

func (s *scope) set(o op, v float64) {
	switch o {
	case "TL":
		s.leading = v
	case "Tc":
		s.charGap = v
	case "Tw":
		s.wordGap = v
	case "Tz":
		s.stretch = v / 100
	}
}

func (s *scope) move(dx, dy float64) {
	s.line = matrix{1, 0, 0, 1, dx, dy}.mul(s.line)
	s.tm = s.line
}
