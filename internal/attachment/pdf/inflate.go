package pdf

import (
	"compress/zlib"
	"context"
	"fmt"
	"io"
)

// Streams that unpack to more than bombBytes in all, and to more than bombRatio
// times what they take in the file, were made to be unpacked: text and drawings
// shrink to a tenth, hardly ever to a fiftieth.
const (
	bombBytes = 16 << 20
	bombRatio = 100
)

var errBomb = &ExcessError{Reason: fmt.Sprintf("its streams unpack to more than %d times their size", bombRatio)}

// maxFilters bounds the filters of one stream.
const maxFilters = 8

// inflate returns a stream's decoded bytes, spent from the file's budget. A
// compressed stream ends where its own data says, so a wrong Length does no
// harm.
func (f *file) inflate(ctx context.Context, s *stream) ([]byte, error) {
	if f.streams++; f.streams > maxStreams {
		return nil, ErrUnsupported
	}
	filters, err := f.array(ctx, s.dict["Filter"])
	if err != nil {
		return nil, err
	}
	if err := f.unpredicted(ctx, s); err != nil {
		return nil, err
	}
	packed, err := f.packedBytes(ctx, s, len(filters) > 0)
	if err != nil {
		return nil, err
	}
	if len(filters) > maxFilters {
		return nil, ErrUnsupported
	}
	var r io.Reader = packed
	for _, filter := range filters {
		if filter != name("FlateDecode") && filter != name("Fl") {
			return nil, ErrUnsupported
		}
		if r, err = zlib.NewReader(r); err != nil {
			return nil, unsupported(err)
		}
	}
	out := &budgetReader{ctx: ctx, f: f, r: r, packed: packed, left: min(maxInflated-f.inflated, maxStream)}
	defer out.charge()
	data, err := io.ReadAll(out)
	return data, unsupported(err)
}

// unpredicted fails unless the stream's bytes are those that inflating gives.
func (f *file) unpredicted(ctx context.Context, s *stream) error {
	params, err := f.array(ctx, s.dict["DecodeParms"])
	if err != nil {
		return err
	}
	for _, p := range params {
		d, err := f.dict(ctx, p)
		if err != nil {
			return err
		}
		if predictor, ok := d["Predictor"].(int); ok && predictor > 1 {
			return ErrUnsupported
		}
	}
	return nil
}

// packedBytes reads a stream as it lies in the file: to its Length, or to the
// file's end where the data itself says where it ends.
func (f *file) packedBytes(ctx context.Context, s *stream, selfEnding bool) (*countingReader, error) {
	n := f.size - s.at
	if !selfEnding {
		length, err := f.resolve(ctx, s.dict["Length"])
		if err != nil {
			return nil, err
		}
		stated, ok := length.(int)
		if !ok || stated < 0 || int64(stated) > n {
			return nil, ErrUnsupported
		}
		n = int64(stated)
	}
	return &countingReader{r: io.NewSectionReader(f.src, s.at, n)}, nil
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// budgetReader fails once more than left was read, when the file turns out to be
// a bomb, and when ctx ends.
type budgetReader struct {
	ctx    context.Context
	f      *file
	r      io.Reader
	packed *countingReader
	left   int64
	n      int64
}

func (b *budgetReader) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	b.n += int64(n)
	if all := b.f.inflated + b.n; all > bombBytes && all > bombRatio*(b.f.packed+b.packed.n) {
		return 0, errBomb
	}
	if b.n > b.left {
		return 0, ErrUnsupported
	}
	return n, err
}

// charge takes what was read from the file's budget.
func (b *budgetReader) charge() {
	b.f.inflated += b.n
	b.f.packed += b.packed.n
}
