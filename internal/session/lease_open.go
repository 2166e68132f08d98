package session

import (
	"errors"
	"fmt"
	"slices"

	"belay/internal/durable"
)

// open brings what is in memory up to date with the files. v.mu is held.
func (l *Lease) open(lock *durable.FileLock, why purpose) error {
	v := l.state
	rec, err := v.record()
	if why == toRemove && errors.Is(err, ErrMalformed) {
		return nil // there is nothing in it to bring up to date
	}
	if err != nil {
		return err
	}
	if rec.ReadOnly && why == toWrite {
		return readOnly(v.id)
	}
	raw, err := readNote(lock.File())
	if err != nil {
		return fmt.Errorf("read the lock's note: %w", err)
	}
	if v.warm(raw) {
		l.left = v.noteContent.Turn
		return nil
	}
	err = l.adopt(raw)
	if why == toRemove && errors.Is(err, ErrMalformed) {
		return nil // what is removed need not be read
	}
	return err
}

// warm reports whether this process wrote last and nothing was touched since.
func (v *sessionState) warm(raw []byte) bool {
	return v.noted != nil && string(raw) == string(v.noted) &&
		(v.unwritten || v.recSeen != nil && v.recWhole) && v.transcript.loaded && v.transcript.sum != nil && v.transcript.current(v.path.file(fileTranscript)) &&
		v.log.current(v.path) && (len(v.log.segs) == 0 || v.log.active.sum != nil)
}

// changedEarlier stands for the sentences that another process found. The lock's note says only
// that there are some.
const changedEarlier = "the session's files were changed since belay last wrote them"

// adopt reads the files as their next writer.
func (l *Lease) adopt(raw []byte) error {
	v := l.state
	n, _ := decodeNote(raw) // a spoilt note knows nothing
	l.left = n.Turn
	v.noted = nil
	unreported := v.unreported
	if !n.Unreported {
		unreported = nil
	} else if len(unreported) == 0 {
		unreported = []string{changedEarlier}
	}
	root, err := v.root()
	if err != nil {
		return err
	}
	var used Time
	used, v.useSeen, _ = lastUse(root) // what is wrong with the transcript is found below
	v.rec.use(used)
	after := n.after(v.store.o.BootID)
	v.transcript.reset()
	v.transcript.flushed = n.kept()
	sentence, err := v.transcript.adopt(root, after.want(n), n.settled() && after == sameBoot, v.store.o.openLines, v.transcript.add)
	if err == nil {
		err = v.transcript.newer
	}
	if err != nil {
		v.transcript.loaded = false
		return v.refused(err)
	}
	if sentence != "" {
		unreported = append(unreported, sentence)
	}
	v.foldersFlushed = v.transcript.flushed.Size > 0
	if after == sameBoot || after == noBoot && v.transcript.boot == v.store.o.BootID {
		after = sameBoot
	} else {
		v.transcript.kept = v.transcript.reserved // a power cut leaves what is on disk
	}
	said, err := v.loadLog(root, &n, after)
	if err != nil {
		v.log.loaded = false
		return v.refused(err)
	}
	v.unreported = append(slices.Clip(unreported), said...)
	v.broadcast()
	return v.heal()
}

// refused is the fault for files that a later version wrote; other errors pass.
func (v *sessionState) refused(err error) error {
	if isNewer(err) {
		return tooNew(v.id, err)
	}
	return err
}

// heal brings session.json in line with the transcript, where a crash left an
// older one or none, and with the project that the folder is in, where it was
// moved. A transcript that names another session says nothing of this one: the folder may
// come from anybody, and what was allowed in the other one would count here.
func (v *sessionState) heal() error {
	if v.rec.ReadOnly {
		return nil
	}
	rec := v.rec
	if said := v.transcript.session; said != nil && said.SessionID == v.id && !rec.sameBut(v.path.settle(*said)) {
		rec = v.path.settle(*said)
		rec.UpdatedAt = v.rec.UpdatedAt
	} else if v.recSeen != nil && v.recWhole {
		return nil
	}
	return v.writeRecord(rec)
}
