package pdf

import (
	"bytes"
	"context"
	"errors"
)

// stream is a stream object: its dictionary and where its bytes begin.
type stream struct {
	dict dict
	at   int64
}

// maxHops bounds a chain of references to references.
const maxHops = 8

// resolve follows references until there is a value; what is missing is null.
func (f *file) resolve(ctx context.Context, v any) (any, error) {
	for range maxHops {
		id, ok := v.(ref)
		if !ok {
			return v, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if v, err = f.object(ctx, int(id)); err != nil {
			return nil, unsupported(err)
		}
	}
	return nil, ErrUnsupported
}

// object returns an object by its number. Small ones, which are asked for again
// and again (resources, fonts), are kept.
func (f *file) object(ctx context.Context, id int) (any, error) {
	if v, ok := f.kept[id]; ok {
		return v, nil
	}
	p, ok := f.objects[id]
	if !ok {
		return nil, nil
	}
	before := f.lexed
	var v any
	var err error
	if p.boxed {
		l := &lexer{data: f.contents[p.at], pos: p.offset}
		v, err = l.value()
		if spent := f.spend(l.pos - p.offset); spent != nil {
			return nil, spent
		}
		if errors.Is(err, errSyntax) && tooDeep(l.data[p.offset:]) {
			return nil, errTooDeep
		}
	} else {
		v, err = f.objectAt(ctx, p.at)
	}
	if spent := f.lexed - before; err == nil && spent <= keptBytes && f.keptLexed+spent <= keptTotal {
		f.keptLexed += spent
		f.kept[id] = v
	}
	return v, err
}

// What is kept of parsed objects, by the bytes that they were parsed from: none
// larger than keptBytes, and keptTotal of all.
const (
	keptBytes = 4 << 10
	keptTotal = 2 << 20
)

// dict resolves v to a dictionary, a stream's own included; nil where it is
// none.
func (f *file) dict(ctx context.Context, v any) (dict, error) {
	v, err := f.resolve(ctx, v)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case dict:
		return v, nil
	case *stream:
		return v.dict, nil
	}
	return nil, nil
}

// array resolves v to an array; a single value is an array of one.
func (f *file) array(ctx context.Context, v any) (array, error) {
	r, err := f.resolve(ctx, v)
	switch r := r.(type) {
	case nil:
		return nil, err
	case array:
		return r, err
	}
	return array{v}, err
}

// objectAt reads the indirect object that begins at.
func (f *file) objectAt(ctx context.Context, at int64) (any, error) {
	window := firstWindow
	for {
		data, err := f.window(at, window)
		if err != nil {
			return nil, err
		}
		l := &lexer{data: data}
		v, err := l.object()
		if spent := f.spend(l.pos); spent != nil {
			return nil, spent
		}
		if errors.Is(err, errEnd) && len(data) == window && window < maxObject {
			window = min(window*8, maxObject)
			continue
		}
		if s, ok := v.(*stream); ok {
			s.at += at
		}
		return v, err
	}
}

// object reads "id gen obj value", and "stream" if that follows; the stream's at
// is then relative to data.
func (l *lexer) object() (any, error) {
	for range 2 {
		if v, err := l.value(); err != nil {
			return nil, err
		} else if _, ok := v.(int); !ok {
			return nil, errSyntax
		}
	}
	if v, err := l.value(); err != nil {
		return nil, err
	} else if v != op("obj") {
		return nil, errSyntax
	}
	v, err := l.value()
	if err != nil {
		return nil, err
	}
	d, ok := v.(dict)
	if !ok {
		return v, nil
	}
	l.space()
	rest := l.data[l.pos:]
	if len(rest) < len("stream\r\n") {
		return nil, errEnd
	}
	if !bytes.HasPrefix(rest, []byte("stream")) {
		return d, nil
	}
	at := l.pos + len("stream")
	if l.data[at] == '\r' {
		at++
	}
	if l.data[at] == '\n' {
		at++
	}
	return &stream{dict: d, at: int64(at)}, nil
}

// parse reads one value that begins at.
func (f *file) parse(at int64, limit int) (any, error) {
	for window := firstWindow; ; window = min(window*8, limit) {
		data, err := f.window(at, window)
		if err != nil {
			return nil, err
		}
		l := &lexer{data: data}
		v, err := l.value()
		if spent := f.spend(l.pos); spent != nil {
			return nil, spent
		}
		if !errors.Is(err, errEnd) || len(data) < window || window >= limit {
			return v, err
		}
	}
}

// firstWindow is what most objects fit into.
const firstWindow = 2 << 10

// window reads up to n bytes at a place, spent from the file's budget.
func (f *file) window(at int64, n int) ([]byte, error) {
	if at < 0 || at >= f.size {
		return nil, errEnd
	}
	if f.looked += int64(n); f.looked > maxLooked {
		return nil, ErrUnsupported
	}
	data := make([]byte, min(int64(n), f.size-at))
	if n, err := f.src.ReadAt(data, at); n < len(data) {
		return nil, err
	}
	return data, nil
}

// spend takes the bytes that a lexer went through from the file's budget.
func (f *file) spend(n int) error {
	if f.lexed += int64(n); f.lexed > maxLexed {
		return ErrUnsupported
	}
	return nil
}

func (f *file) streamAt(ctx context.Context, at int64) (*stream, error) {
	v, err := f.objectAt(ctx, at)
	if err != nil {
		return nil, unsupported(err)
	}
	s, ok := v.(*stream)
	if !ok {
		return nil, ErrUnsupported
	}
	return s, nil
}

// unsupported turns any failure to read on into ErrUnsupported: for the light
// reader there is no difference between damaged and unknown. A context's error
// and the package's own pass.
func unsupported(err error) error {
	var excess *ExcessError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, ErrEncrypted), errors.Is(err, ErrUnsupported), errors.As(err, &excess):
		return err
	}
	return errors.Join(ErrUnsupported, err)
}
