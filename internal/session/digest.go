package session

import (
	"bytes"
	"os"
	"strings"
	"unicode"

	"belay/internal/durable"
)

// Digest is what a list tells of a session beside its record: the parts of its transcript
// that people recognise it by.
type Digest struct {
	// Record is what the transcript says of the session, nil for one without a version.
	Record *Record
	// Opening is the first line of its first message, at most [TitleLength] characters.
	Opening string
	// Turns counts the turns, Open is the one without an end, "" where all have one.
	Turns int
	Open  string
	// CostUSD is what the turns cost that ended in this session, nil where no model had a
	// price.
	CostUSD *float64
	// Exit is the exit code of the last turn that ended, nil before; Failure is why it failed.
	Exit    *int
	Failure string

	id   string      // of the session
	file os.FileInfo // that was read, up to size
	size int64
	// ended is the turn whose end came last, with its cost: another end corrects it.
	ended     string
	endedCost float64
	elsewhere string // the turn that is a fork's, paid for in another session
}

// TitleLength is how many characters a title has at most.
const TitleLength = 80

// Digest reads what was appended to a session's transcript since the digest before, or all
// of it where that is nil or of another file. It decodes no line that it does not need.
func (c Catalog) Digest(r Row, before *Digest) (*Digest, error) {
	f, err := openTranscript(c.store.paths.pathIn(r.ProjectRoot, r.ID))
	if err != nil {
		return nil, unreadable(r.ID, err)
	}
	if f == nil {
		return &Digest{}, nil
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, unreadable(r.ID, err)
	}
	d := &Digest{id: r.ID}
	if before != nil && before.file != nil && os.SameFile(before.file, info) && before.size <= info.Size() {
		*d = *before
	}
	if _, err := f.Seek(d.size, 0); err != nil {
		return nil, unreadable(r.ID, err)
	}
	whole, err := durable.Scan(f, maxLine, func(line []byte, _ int64) error {
		d.take(line)
		return nil
	})
	if err != nil {
		return nil, unreadable(r.ID, err)
	}
	d.file, d.size = info, d.size+whole
	return d, nil
}

// What the lines begin with that a digest is made of. Lines that begin in another way were
// put so by a person, and are decoded.
var (
	anyKind  = []byte(`{"kind":"`)
	turnKind = []byte(`{"kind":"turn",`)
	endKind  = []byte(`{"kind":"end",`)
)

// take takes a line into account.
func (d *Digest) take(line []byte) {
	if said, ok := parseSessionLine(line); ok {
		if said.Record != nil && said.Record.SessionID == d.id { // the folder may come from anybody
			d.Record = said.Record
		}
		return
	}
	if bytes.HasPrefix(line, anyKind) && !bytes.HasPrefix(line, turnKind) && !bytes.HasPrefix(line, endKind) {
		return
	}
	e, err := parseEntry(line)
	if err != nil {
		return // the store's checks report it
	}
	switch e.Kind {
	case EntryTurn:
		d.Turns++
		d.Open = e.Turn
		if d.Turns == 1 {
			d.Opening = opening(&e)
		}
		if e.After < 0 {
			d.elsewhere = e.Turn
		}
	case EntryEnd:
		d.end(&e)
	}
}

// end takes the end of a turn into account.
func (d *Digest) end(e *Entry) {
	if e.Turn == d.Open {
		d.Open = ""
	}
	if e.Usage == nil && e.Turn == d.ended { // it corrects how the turn ended; what it cost stands
		d.Exit, d.Failure = e.ExitCode, e.Error
		return
	}
	cost := 0.0
	if e.Usage != nil && e.Usage.CostUSD != nil && e.Turn != d.elsewhere {
		cost = *e.Usage.CostUSD
		if d.CostUSD == nil {
			d.CostUSD = new(float64)
		}
	}
	if d.CostUSD != nil {
		sum := *d.CostUSD + cost
		if e.Turn == d.ended {
			sum -= d.endedCost
		}
		d.CostUSD = &sum // the digest before keeps its own
	}
	d.ended, d.endedCost = e.Turn, cost
	d.Exit, d.Failure = e.ExitCode, e.Error
}

// opening is the first line of a message that says something, or the name of the first
// file that came with it.
func opening(e *Entry) string {
	for line := range strings.Lines(e.Message) {
		if title := cleanTitle(line); title != "" {
			return title
		}
	}
	if len(e.Attachments) > 0 {
		return cleanTitle(e.Attachments[0].Name)
	}
	return ""
}

// cleanTitle is a text on one line without invisible characters, shortened to
// [TitleLength].
func cleanTitle(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '\u200c' || r == '\u200d': // they join what is one character, or part it
			return r
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > TitleLength {
		return strings.TrimSpace(string(runes[:TitleLength-1])) + "…"
	}
	return text
}
