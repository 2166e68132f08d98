package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/plainjson"
)

// seqBlock bounds the sequences that a power cut can take. The log is flushed when
// the run ends and before the first event of each block of that many. So what was
// lost is of the block that the next event in the log would be of.
const seqBlock = 1 << 16

// bootLine is a line of the log before the events of a process: the system's time
// of running in which they were written, and the sequence after which they begin.
// It is no event.
type bootLine struct {
	V      int    `json:"v"`
	BootID string `json:"bootId"`
	After  int64  `json:"after,omitempty"`
}

// journal writes a run's events. It is safe for concurrent use.
type journal struct {
	mu    sync.Mutex
	lines *durable.Lines
	seq   int64
	// last is the time of the latest event from before, the zero time where there is none.
	last  time.Time
	clock func() time.Time
	// boot is the line that goes before the next event, nil for none. Where the run is
	// taken up again it is flushed first.
	boot  []byte
	again bool
	// wake is closed when there is more to read, over when there is no more to
	// come.
	wake chan struct{}
	over bool
}

// openJournal opens the log of a run that this process has made, or takes up.
func openJournal(f *folder, made bool, clock func() time.Time) (_ *journal, err error) {
	// Opening repairs a torn end, so the version is checked first.
	err = scanEvents(f.root, 0, func(Event) error { return nil })
	switch newer := (*durable.NewerError)(nil); {
	case errors.As(err, &newer):
		return nil, unreadable(f.id, fileEvent, err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	lines, err := durable.OpenLines(f.root, fileEvent, 0o600, durable.RunLog)
	if err != nil {
		return nil, storage("the run's events cannot be opened", err)
	}
	j := &journal{lines: lines, clock: clock, wake: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, lines.Close())
		}
	}()
	known, err := j.recall(f.root)
	if err != nil {
		return nil, err
	}
	boot := durable.BootID()
	if !made && known == boot && boot != "" {
		return j, nil // nothing can be lost
	}
	if !made {
		j.seq = ((j.seq+1)/seqBlock+1)*seqBlock - 1
	}
	line, err := plainjson.Marshal(bootLine{formatVersion, boot, j.seq})
	if err != nil {
		return nil, err
	}
	j.boot, j.again = append(line, '\n'), !made
	return j, nil
}

// recall reads the last sequence of the log, and in which time of running it was
// given.
func (j *journal) recall(root *os.Root) (boot string, err error) {
	f, _, err := durable.OpenRegular(root, fileEvent)
	if err != nil {
		return boot, storage("the run's events cannot be read", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = durable.Scan(f, maxEvent, func(b []byte, _ int64) error {
		var line struct {
			Event
			bootLine
		}
		if json.Unmarshal(b, &line) != nil {
			return nil // a spoilt line is none
		}
		if line.Type == "" {
			boot = line.BootID
		}
		if line.Time.After(j.last) {
			j.last = line.Time
		}
		j.seq = max(j.seq, line.Seq, line.After)
		return nil
	})
	if err != nil {
		return boot, storage("the run's events cannot be read", err)
	}
	return boot, nil
}

// add appends an event. Readers see it at once; it is durable after sync.
func (j *journal) add(t EventType, task string, data any) error {
	payload, err := plainjson.Marshal(data)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	line, err := plainjson.Marshal(eventLine{formatVersion, Event{Seq: j.seq + 1, Time: j.clock().UTC(), Type: t, Task: task, Data: payload}})
	if err != nil {
		return err
	}
	if err := j.write(append(line, '\n')); err != nil {
		return storage("the run's events could not be written", err)
	}
	j.seq++
	close(j.wake)
	j.wake = make(chan struct{})
	return nil
}

// write appends a line, after what must be on disk before it. j.mu is held.
func (j *journal) write(line []byte) error {
	flush := (j.seq+1)%seqBlock == 0
	if j.boot != nil {
		if err := j.lines.Append(j.boot); err != nil {
			return err
		}
		j.boot, flush = nil, flush || j.again
	}
	if flush {
		if err := j.lines.Sync(); err != nil {
			return err
		}
	}
	return j.lines.Append(line)
}

// close ends the journal and wakes the readers of this process.
func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.lines.Sync()
	if e := j.lines.Close(); err == nil {
		err = e
	}
	j.over = true
	close(j.wake)
	j.wake = make(chan struct{})
	if err != nil {
		return storage("the run's events could not be written", err)
	}
	return nil
}

// next is closed when there is something to read.
func (j *journal) next() (wake <-chan struct{}, over bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.wake, j.over
}

// maxEvent caps a line of events that is read.
const maxEvent = 4 << 20

// scanEvents calls see for each event after a sequence.
func scanEvents(root *os.Root, after int64, see func(Event) error) error {
	f, _, err := durable.OpenRegular(root, fileEvent)
	if err != nil {
		return fault.New(fault.StorageFailure, "the run's events cannot be read").WithStatus(500).Because(err)
	}
	defer f.Close()
	_, err = durable.Scan(f, maxEvent, func(b []byte, _ int64) error {
		e, err := readEvent(b)
		if err != nil || e.Seq <= after {
			return err
		}
		return see(e)
	})
	return err
}
