package register

import (
	"fmt"
	"strings"
)

// record is one line of a register; it spans more where cells do.
type record struct {
	// start and end bound its bytes, next is after its line end.
	start, end, next uint32
	// first and n are its cells.
	first, n uint32
	// line is the one that it begins in, from 1.
	line uint32
}

// table is a text taken apart into records and cells. The bytes between two
// records are blank lines. The first record is the header.
type table struct {
	text    string
	records []record
	cells   []cell
	quoting quoting
	// stray is set when quotes begin inside of cells, so that readers differ about
	// what the cells hold; loneCR when records end in a carriage return alone.
	stray, loneCR bool
	// cut is where reading stopped because of a limit, why that was.
	cut uint32
	why string
}

// special are the bytes that mean something outside of quotes.
var special = [256]bool{',': true, '"': true, '\n': true, '\r': true}

// split takes a text apart. Lines end in LF, CR LF or CR, those without anything
// in them are no records.
func split(text string, q quoting) table {
	s := splitter{table: table{text: text, quoting: q}, line: 1}
	commas, lines := strings.Count(text, ","), strings.Count(text, "\n")
	s.records = make([]record, 0, min(lines+1, 1<<16))
	s.cells = make([]cell, 0, min(commas+lines+1, 1<<18))
	if strings.HasPrefix(text, bom) {
		s.i = len(bom)
	}
	if len(text) > MaxBytes {
		s.stop("the file is larger than %d bytes", MaxBytes)
	}
	for s.i < len(text) && s.why == "" {
		s.record()
	}
	return s.table
}

// splitter is the work of [split].
type splitter struct {
	table
	i      int // the next byte
	line   int // the one that it is in
	filled int // cells so far
}

// width is the number of cells of the header.
func (s *splitter) width() int {
	if len(s.records) == 0 {
		return 0
	}
	return int(s.records[0].n)
}

// record reads one record and its line end.
func (s *splitter) record() {
	rec := record{start: uint32(s.i), first: uint32(len(s.cells)), line: uint32(s.line)}
	for more := true; more; {
		if len(s.cells)-int(rec.first) >= maxRowCells {
			s.stop("a row has more than %d cells", maxRowCells)
			break
		}
		more = s.cell()
	}
	// A short row counts as a full one, which is how it is shown.
	s.filled += max(len(s.cells)-int(rec.first), s.width())
	switch {
	case s.why != "":
	case s.filled > maxCells:
		s.stop("the file has more than %d cells", maxCells)
	case len(s.records) > maxRows:
		s.stop("the file has more than %d rows", maxRows)
	}
	if s.why != "" {
		s.cut, s.cells = rec.start, s.cells[:rec.first]
		return
	}
	rec.end, rec.n = uint32(s.i), uint32(len(s.cells))-rec.first
	s.lineEnd()
	rec.next = uint32(s.i)
	if rec.start == rec.end {
		s.cells = s.cells[:rec.first] // a blank line
		s.filled -= max(1, s.width())
		return
	}
	s.records = append(s.records, rec)
}

// cell reads one cell and the comma after it, and reports whether there is one.
func (s *splitter) cell() (more bool) {
	text, start, i := s.text, s.i, s.i
	var how form
	closed := -1 // after the closing quote
	for {
		for i < len(text) && !special[text[i]] {
			i++
		}
		if i == len(text) || text[i] != '"' {
			break
		}
		switch {
		case i == start:
			how |= quoted
		case s.quoting == quoteAtStart:
			how |= inside
			i++
			continue
		default:
			how |= inside
			s.stray = true
		}
		i, how = s.quotes(i+1, how)
		closed = i
	}
	if how&quoted != 0 && closed != i {
		how |= mixed
	}
	s.cells = append(s.cells, cell{uint32(start), uint32(i), how})
	if more = i < len(text) && text[i] == ','; more {
		i++
	}
	s.i = i
	return more
}

// quotes reads from after an opening quote to after the closing one.
func (s *splitter) quotes(i int, how form) (int, form) {
	begin := i
	for {
		n := strings.IndexByte(s.text[i:], '"')
		if n < 0 {
			i, how = len(s.text), how|open
			break
		}
		i += n + 1
		if i == len(s.text) || s.text[i] != '"' {
			break
		}
		how |= doubled
		i++
	}
	s.line += lineEnds(s.text[begin:i])
	return i, how
}

// lineEnd reads what ends a record.
func (s *splitter) lineEnd() {
	if s.i == len(s.text) {
		return
	}
	s.line++
	if s.text[s.i] == '\r' {
		s.i++
		if s.i == len(s.text) || s.text[s.i] != '\n' {
			s.loneCR = true
			return
		}
	}
	s.i++
}

// lineEnds counts the lines that end in a text.
func lineEnds(text string) int {
	n := strings.Count(text, "\n")
	if strings.IndexByte(text, '\r') >= 0 {
		n += strings.Count(text, "\r") - strings.Count(text, "\r\n")
	}
	return n
}

// isOpen reports whether the text ends inside of quotes.
func (t *table) isOpen() bool { return len(t.cells) > 0 && t.cells[len(t.cells)-1].form&open != 0 }

// stop ends the reading at the record that is being read.
func (s *splitter) stop(format string, args ...any) {
	s.why = fmt.Sprintf(format, args...)
}
