package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
)

// Died reports whether a turn of the session may have died: its lock names one that
// no process runs, or a power cut may have taken what the lock said.
func (s *Signals) Died(id string) bool {
	if !ValidID(id) {
		return false
	}
	if _, held := s.runningHere(id); held {
		return false
	}
	n, ok := s.peekNote(id)
	return (!ok || n.Turn != "" || n.after(s.store.o.BootID) == otherBoot) && !durable.Locked(s.store.lockPath(id))
}

// Abandoned lists the sessions with a turn that no process runs: it died in the
// middle. Their lock says so or, where a power cut may have taken what the lock
// said, their transcript. A session counts until its lease is taken next.
func (s *Signals) Abandoned(ctx context.Context) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.store.o.StateDir, dirLocks))
	if err != nil {
		return nil, fmt.Errorf("look for abandoned turns: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		id, ok := strings.CutSuffix(e.Name(), ".lock")
		if !ok || !s.Died(id) {
			continue
		}
		if n, ok := s.peekNote(id); ok && n.Turn != "" || s.unended(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// unended reports whether the transcript of a session ends in the middle of a turn.
// It reads no more than the last lines.
func (s *Signals) unended(id string) bool {
	p, ok := s.store.paths.indexed(id)
	if !ok {
		return false
	}
	f, err := openTranscript(p)
	if f == nil || err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	const lines = 64 << 10
	tail, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-lines), lines))
	if err != nil {
		return false
	}
	kind := EntryKind("")
	for line := range bytes.Lines(tail) {
		if e, err := parseEntry(line); err == nil && e.Turn != "" {
			kind = e.Kind
		}
	}
	return kind != EntryEnd && kind != EntryChanges && kind != EntryUndo && (kind != "" || info.Size() > lines)
}
