package session

import (
	"context"
	"crypto/sha256"
	"errors"
)

// Verify reads every byte of a session's transcript and log and returns a
// sentence for each file that is not what belay last wrote. It takes the lease
// for that time, so a running turn is TURN_IN_PROGRESS.
func (s *Upkeep) Verify(ctx context.Context, id string) ([]string, error) {
	l, err := s.store.states.acquire(ctx, id, toKeep)
	if err != nil {
		return nil, err
	}
	said, err := l.verify(ctx)
	return said, errors.Join(storage("the session's files cannot be read", err), l.Release())
}

func (l *Lease) verify(ctx context.Context) ([]string, error) {
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	root, err := v.path.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	raw, err := readNote(l.lock.File())
	if err != nil {
		return nil, err
	}
	n, _ := decodeNote(raw)
	var said []string
	check := func(name string, want position, settled bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := hashChain{name: name}
		h := &prefixHash{h: sha256.New(), stop: want.Size}
		err := c.scan(root, h, func([]byte, int64) {})
		if sentence := c.verdict(want, settled, h); err == nil && sentence != "" {
			said = append(said, sentence)
		}
		return err
	}
	if err := check(fileTranscript, n.Transcript, n.settled()); err != nil {
		return nil, err
	}
	for number, m := range segmentHashesOf(v.store.stateDir.Root(), v.id).ascending() {
		if err := check(segmentName(number), m, false); err != nil {
			return nil, err
		}
	}
	if n.Segment > 0 {
		if err := check(segmentName(n.Segment), n.Log, n.settled()); err != nil {
			return nil, err
		}
	}
	if len(said) == 0 {
		said = v.unreported // an earlier lease found it
	}
	return said, nil
}
