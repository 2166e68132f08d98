package session

import (
	"bufio"
	"context"
	"errors"
	"io"
)

// Opening returns how a session began: the first entry of its transcript, with
// the first message. It reads no more than that. The entry is zero where nothing
// was said yet, or where the file does not begin with an entry.
func (s *Store) Opening(ctx context.Context, id string) (Entry, error) {
	if err := ctx.Err(); err != nil {
		return Entry{}, err
	}
	p, err := s.paths.locate(id)
	if err != nil {
		return Entry{}, err
	}
	return openingAt(p, id)
}

// OpeningOf is Opening of a session that was listed.
func (s *Store) OpeningOf(rec *Record) (Entry, error) {
	return openingAt(s.paths.pathIn(rec.ProjectRoot, rec.SessionID), rec.SessionID)
}

func openingAt(p sessionPath, id string) (Entry, error) {
	f, err := openTranscript(p)
	if missing(err) {
		return Entry{}, notFound(id)
	}
	if f == nil || err != nil {
		return Entry{}, unreadable(id, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewReader(io.LimitReader(f, maxLine))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return Entry{}, unreadable(id, err)
		}
		if _, ok := parseSessionLine(line); ok && err == nil {
			continue
		}
		e, err := parseEntry(line)
		if err != nil {
			return Entry{}, nil // a spoilt or half-written line; the store's checks report it
		}
		return e, nil
	}
}
