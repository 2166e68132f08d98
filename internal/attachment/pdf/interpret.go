package pdf

import (
	"bytes"
	"context"
	"errors"
)

// maxForms bounds forms drawn within forms, maxSaved the graphics states saved,
// maxOperands the operands of one operator.
const (
	maxForms    = 8
	maxSaved    = 256
	maxOperands = 1024
)

// interpreter runs the text operators of content streams.
type interpreter struct {
	f     *File
	out   *writer
	fonts map[ref]*font
	maps  map[ref]*cmap
	ops   int
	loads int // of fonts
	// entries are the widths and the entries of Unicode maps that fonts stated.
	entries int
}

// state is what q saves and the text object carries.
type state struct {
	ctm     matrix
	font    *font
	size    float64
	leading float64
	charGap float64
	wordGap float64
	stretch float64
}

// run interprets one content stream.
func (x *interpreter) run(ctx context.Context, data []byte, resources any, depth int) error {
	if depth > maxForms {
		return ErrUnsupported
	}
	res, err := x.f.dict(ctx, resources)
	if err != nil {
		return err
	}
	s := scope{x: x, resources: res, depth: depth, state: state{ctm: identity, stretch: 1}, tm: identity, line: identity}
	l := &lexer{data: data}
	var operands []any
	for {
		v, err := l.value()
		if errors.Is(err, errEnd) {
			return nil
		}
		if err != nil {
			if tooDeep(data) {
				return errTooDeep
			}
			return unsupported(err)
		}
		o, ok := v.(op)
		if !ok {
			if operands = append(operands, v); len(operands) > maxOperands {
				return ErrUnsupported
			}
			continue
		}
		if x.ops++; x.ops > maxOperators {
			return ErrUnsupported
		}
		if x.ops%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if x.out.cut {
			return nil
		}
		if o == "ID" {
			l.skipImage()
		} else if err := s.do(ctx, o, operands); err != nil {
			return err
		}
		operands, l.values = operands[:0], 0
	}
}

// skipImage moves past the bytes of an inline image.
func (l *lexer) skipImage() {
	for {
		i := bytes.Index(l.data[l.pos:], []byte("EI"))
		if i < 0 {
			l.pos = len(l.data)
			return
		}
		at := l.pos + i
		l.pos = at + 2
		if isSpace(l.data[at-1]) && (l.pos == len(l.data) || isSpace(l.data[l.pos])) {
			return
		}
	}
}

// scope is the interpretation of one content stream.
type scope struct {
	x         *interpreter
	resources dict
	depth     int
	state
	saved    []state
	tm, line matrix
}

func (s *scope) do(ctx context.Context, o op, args []any) error {
	n := numbers(args)
	switch o {
	case "q":
		if len(s.saved) >= maxSaved {
			return ErrUnsupported
		}
		s.saved = append(s.saved, s.state)
	case "Q":
		if last := len(s.saved) - 1; last >= 0 {
			s.state, s.saved = s.saved[last], s.saved[:last]
		}
	case "cm":
		if len(n) == 6 {
			s.ctm = matrix(n).mul(s.ctm)
		}
	case "BT":
		s.tm, s.line = identity, identity
	case "Tf":
		return s.setFont(ctx, args)
	case "TL", "Tc", "Tw", "Tz":
		if len(n) == 1 {
			s.set(o, n[0])
		}
	case "Td", "TD":
		if len(n) == 2 {
			if o == "TD" {
				s.leading = -n[1]
			}
			s.move(n[0], n[1])
		}
	case "Tm":
		if len(n) == 6 {
			s.tm, s.line = matrix(n), matrix(n)
		}
	case "T*":
		s.move(0, -s.leading)
	case "Tj":
		return s.show(args)
	case "'":
		s.move(0, -s.leading)
		return s.show(args)
	case "\"":
		s.move(0, -s.leading)
		if len(args) == 3 {
			return s.show(args[2:])
		}
	case "TJ":
		if len(args) == 1 {
			if list, ok := args[0].(array); ok {
				return s.show(list)
			}
		}
	case "Do":
		return s.draw(ctx, args)
	}
	return nil
}

// draw runs a form; images have no text.
func (s *scope) draw(ctx context.Context, args []any) error {
	if len(args) != 1 {
		return nil
	}
	key, _ := args[0].(name)
	objects, err := s.x.f.dict(ctx, s.resources["XObject"])
	if err != nil {
		return err
	}
	v, err := s.x.f.resolve(ctx, objects[key])
	if err != nil {
		return err
	}
	form, ok := v.(*stream)
	if !ok || form.dict["Subtype"] != name("Form") {
		return nil
	}
	data, err := s.x.f.inflate(ctx, form)
	if err != nil {
		return err
	}
	var resources any = s.resources
	if own := form.dict["Resources"]; own != nil {
		resources = own
	}
	return s.x.run(ctx, data, resources, s.depth+1)
}
