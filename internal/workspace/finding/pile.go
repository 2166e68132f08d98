package finding

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/klauspost/compress/s2"
)

// Pile is a list of findings that takes little memory: what findings of one project say is
// much alike, and the pile keeps it compressed. It keeps what a surface shows of a finding;
// [Finding.Package] and [Finding.Remedy] are counted before. The zero value is empty.
type Pile struct {
	n      int
	blocks [][]byte
	raw    []byte // of the last block, which is not full
	// mixed is set where one was added that stands before the last one.
	mixed bool
	last  Finding
}

// blockBytes is how much is compressed at once.
const blockBytes = 64 << 10

// Add puts findings behind the others.
func (p *Pile) Add(all []Finding) {
	for i := range all {
		p.add(&all[i])
	}
}

func (p *Pile) add(f *Finding) {
	p.mixed = p.mixed || p.n > 0 && compare(p.last, *f) > 0
	p.last = Finding{Path: f.Path, Line: f.Line, Row: f.Row, Column: f.Column}
	p.raw = appendFinding(p.raw, f)
	if p.n++; len(p.raw) >= blockBytes {
		p.blocks = append(p.blocks, bytes.Clone(s2.Encode(nil, p.raw))) // it has room for what cannot be compressed
		p.raw = p.raw[:0]
	}
}

// Len is how many findings there are.
func (p *Pile) Len() int { return p.n }

// All are the findings as they were added.
func (p *Pile) All() iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for _, b := range p.blocks {
			raw, err := s2.Decode(nil, b)
			if err != nil {
				panic(fmt.Errorf("what was compressed here cannot be read: %w", err))
			}
			if !yieldFindings(raw, yield) {
				return
			}
		}
		yieldFindings(p.raw, yield)
	}
}

// Sorted are the findings by path and place. It is All where they were added so.
func (p *Pile) Sorted() iter.Seq[Finding] {
	if !p.mixed {
		return p.All()
	}
	all := slices.Collect(p.All())
	Sort(all)
	return slices.Values(all)
}

func yieldFindings(raw []byte, yield func(Finding) bool) bool {
	for len(raw) > 0 {
		var f Finding
		if f, raw = cutFinding(raw); !yield(f) {
			return false
		}
	}
	return true
}

// texts and numbers are what a pile keeps of a finding.
func (f *Finding) texts() [7]*string {
	return [7]*string{&f.Path, (*string)(&f.Severity), &f.Code, &f.Column, &f.Value, &f.Message, &f.Fix}
}

func (f *Finding) numbers() [2]*int { return [2]*int{&f.Line, &f.Row} }

func appendFinding(b []byte, f *Finding) []byte {
	extra := byte(0)
	if f.Extra {
		extra = 1
	}
	b = append(b, extra)
	for _, n := range f.numbers() {
		b = binary.AppendVarint(b, int64(*n))
	}
	for _, s := range f.texts() {
		b = append(binary.AppendUvarint(b, uint64(len(*s))), *s...)
	}
	return b
}

func cutFinding(b []byte) (f Finding, rest []byte) {
	f.Extra, b = b[0] == 1, b[1:]
	for _, n := range f.numbers() {
		v, size := binary.Varint(b)
		*n, b = int(v), b[size:]
	}
	for _, s := range f.texts() {
		v, size := binary.Uvarint(b)
		end := size + int(v) // it was made of a length
		*s, b = string(b[size:end]), b[end:]
	}
	return f, b
}
