// Package pdf gets the page count and the plain text out of PDF files that
// nobody vouches for.
//
// [CountPages] counts pages: a few hundred microseconds, no set-up, and it knows only what
// ordinary files use (Flate and object streams). Where it does not know something, it says so
// ([ErrUnsupported]) instead of guessing. [Engine] counts the rest, and reads the text: PDFium
// in a WebAssembly sandbox, slow to start and hungry, so it is started when first
// needed and closed when idle.
//
// Both are safe on hostile input. The counter spends from fixed budgets of
// bytes, values and depth, sizes nothing by a number that the file states, and
// ends with its context. The engine has a memory limit that is reserved when it
// starts, a time limit of its own, no file system, and is stopped in the middle of
// a call when its context ends. What makes either of them spend too much is told
// apart from what is merely damaged ([ExcessError], [ErrTooSlow]).
//
// Neither renders, repairs or runs anything, and neither uses a password
// other than the empty one.
package pdf

import (
	"errors"
)

// What reading can fail with, besides a context's error.
var (
	// ErrUnsupported says that CountPages does not know something that
	// the file uses, or that the file is damaged; the engine may know better.
	ErrUnsupported = errors.New("pdf: beyond the page counter")
	// ErrEncrypted says that the file is encrypted (CountPages) or needs a
	// password (engine).
	ErrEncrypted = errors.New("pdf: encrypted")
	// ErrDamaged says that the engine cannot read the file either, or that its tree of pages
	// returns to itself.
	ErrDamaged = errors.New("pdf: not readable")
	// ErrTooSlow says that the engine was stopped after the time that one file
	// gets. A slow machine may be the reason.
	ErrTooSlow = errors.New("pdf: takes the engine too long")
)

// ExcessError says that reading the file takes more than any file is given. It
// is about the file and final: another attempt is of no use.
type ExcessError struct {
	// Reason is for people: "it unpacks to ...".
	Reason string
}

func (e *ExcessError) Error() string { return "pdf: too much: " + e.Reason }

// Extent is how much text is wanted.
type Extent struct {
	// Bytes is the most; 0 only counts the pages.
	Bytes int
	// Pages is how many of them, from the first; 0 is all.
	Pages int
}

// beyond reports whether the n-th page, from 1, is not wanted.
func (e Extent) beyond(n int) bool { return e.Pages > 0 && n > e.Pages }

// Extract is what the engine found.
type Extract struct {
	// Pages are all that the file has.
	Pages int
	// Text has one line per line of the page and a form feed between pages.
	Text string
	// Cut is set when the text was longer than asked for.
	Cut bool
}

// pageBreak separates pages in a text.
const pageBreak = "\n\f\n"
