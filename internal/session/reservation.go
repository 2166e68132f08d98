package session

import (
	"context"
)

// seqBlock is how many sequences are reserved at once.
//
// The log is not flushed with a turn, so a power cut may take events that readers
// have seen. Their sequences must never be given to other events. So a session
// has a reservation, in its transcript: events may exist up to that sequence. No
// event goes beyond the reservation that is on disk, and a process that cannot
// know how the log ended begins after it. A turn's end extends the reservation
// with the flush that it needs anyway; only a turn of more events than that
// flushes for it.
//
// A session without a reservation has the first block.
const seqBlock = 1 << 16

// blockAfter is the end of the block that leaves half a block of room after seq.
func blockAfter(seq int64) int64 { return (seq + seqBlock/2 + seqBlock) / seqBlock * seqBlock }

// limit is the last sequence that the flushed transcript allows.
func (t *transcript) limit() int64 { return max(t.kept, seqBlock) }

// lastGiven is the last sequence that may have been given when nobody knows how the
// log ended.
func (t *transcript) lastGiven() int64 { return max(t.reserved, seqBlock) }

// reserve makes the reservation cover events up to seq, durably. The caller holds
// sessionState.emit, and not sessionState.mu.
func (l *Lease) reserve(seq int64) error {
	v := l.state
	v.mu.Lock()
	if seq <= v.transcript.limit() {
		v.mu.Unlock()
		return nil
	}
	line, err := sessionLine{Time: v.now(), Reserved: blockAfter(seq), BootID: v.store.o.BootID}.encode()
	if err == nil {
		err = l.alone()
	}
	if err == nil {
		err = v.appendTranscript(line)
	}
	if err == nil {
		v.transcript.reserved = max(v.transcript.reserved, blockAfter(seq))
	}
	v.mu.Unlock()
	if err != nil {
		return storage("the transcript could not be written", err)
	}
	return l.Commit(context.Background())
}

// now is the time of records.
func (v *sessionState) now() Time { return Time{v.store.o.Clock().UTC()} }
