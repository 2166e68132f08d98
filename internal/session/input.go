package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/durable"
	"belay/internal/fault"
)

// Input is what a person says into a running turn.
type Input struct {
	// Turn is the turn that it is for.
	Turn    string            `json:"turn"`
	Message string            `json:"message"`
	Mode    InputMode         `json:"mode"`
	Items   []attachment.Item `json:"items,omitempty"`
	// Links are files that came with it; see [Entry.Links].
	Links []block.Item `json:"links,omitempty"`
	// Warning says which of its files were refused.
	Warning string `json:"warning,omitempty"`
	// Merge says what becomes of it where it reaches the model together with others that
	// say the same; "" is [block.Union].
	Merge block.Policy `json:"merge,omitempty"`
	Time  Time         `json:"time"`
	// ID distinguishes the input from others of the session; see [Entry.Input].
	ID string `json:"-"`
	// Key is the sender's id of the input, "" for none; see [Signals.InputSent]. Digest
	// identifies, in hex, what was sent under it; "" is for senders that send nothing else.
	Key    string `json:"-"`
	Digest string `json:"-"`
}

// InputMode says when a running turn takes an input.
type InputMode string

// The modes of an input.
const (
	// Steer is taken before the next model call.
	Steer InputMode = "steer"
	// FollowUp is taken when the model has answered.
	FollowUp InputMode = "followUp"
)

// What a running turn's inputs may hold at once.
const (
	maxInputs     = 64
	maxInputBytes = 8 << 20
)

// NoTurn is the answer to an input when no turn runs, or none that still listens.
func NoTurn(id string) *fault.Error {
	return fault.New(fault.NoTurnInProgress, "no turn is running in session %s", id).With("sessionId", id).
		WithHint("send it as a turn of its own")
}

// SendInput leaves an input for the turn that runs in a session, in whichever
// process: a file in the state folder, which the turn takes at its next boundary.
// It returns NO_TURN_IN_PROGRESS when no turn will take it any more. After nil one
// will, or it is in the transcript of a turn that died, also after a power cut.
func (s *Signals) SendInput(id string, in Input) error {
	const failed = "the input could not be written"
	if !ValidID(id) {
		return notFound(id)
	}
	var listens bool
	if in.Turn, listens = s.inputTurn(id); !listens {
		return NoTurn(id)
	}
	waiting, err := s.inputNames(id)
	if err != nil {
		return storage(failed, err)
	}
	if len(waiting) >= maxInputs {
		return fault.New(fault.Overloaded, "%d inputs wait already for the turn in session %s", len(waiting), id).
			WithHint("wait until the turn has taken some")
	}
	data, err := json.Marshal(in)
	if err != nil {
		return storage(failed, err)
	}
	if len(data) > maxInputBytes {
		return fault.New(fault.RequestTooLarge, "the input has %d bytes, the limit is %d", len(data), maxInputBytes).WithHint("attach long text as a file")
	}
	name := fmt.Sprintf("%s/%s/%020d-%s%s", dirInputs, id, s.nextInput(waiting), s.store.o.NewID(), keyPart(in.Key)+digestPart(in.Digest)+inputSuffix)
	if err := s.writeInput(id, name, data); err != nil {
		if errors.Is(err, durable.ErrUnflushed) && missing(durable.Remove(s.store.stateDir.Root(), name)) {
			return storage("the turn has taken the input, but a power cut may lose it", err)
		}
		return storage(failed, err)
	}
	// Between the question and the write the turn may have stopped listening. It
	// says so first and looks for inputs then: either it has found this one, or
	// it is still here.
	if turn, listens := s.inputTurn(id); listens && turn == in.Turn {
		return nil
	}
	switch err := durable.Remove(s.store.stateDir.Root(), name); {
	case err == nil:
		return NoTurn(id)
	case errors.Is(err, fs.ErrNotExist):
		return nil // taken
	default:
		return storage("the input could not be taken back", err)
	}
}

// writeInput makes an input durable, and what the transcript has of its turn: an
// input without its turn would be of no use.
func (s *Signals) writeInput(id, name string, data []byte) error {
	dir := path.Dir(name)
	if _, err := s.store.stateDir.Root().Lstat(dir); missing(err) {
		if err := durable.MkdirAll(s.store.stateDir.Root(), dir, 0o700); err != nil {
			return err
		}
		if err := durable.FlushDir(s.store.stateDir.Root(), dirInputs, durable.SteerInput); err != nil {
			return err
		}
	}
	if err := s.flushTranscript(id); err != nil {
		return err
	}
	return durable.WriteFile(s.store.stateDir.Root(), name, data, 0o600, durable.SteerInput)
}

// flushTranscript makes durable what any process has written to a transcript.
func (s *Signals) flushTranscript(id string) error {
	p, err := s.store.paths.locate(id)
	if err != nil {
		return err
	}
	base, err := os.OpenRoot(p.base)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	f, err := base.OpenFile(path.Join(p.rel, fileTranscript), os.O_RDWR, 0) // some systems flush only what may be written
	if err != nil {
		return err
	}
	err = durable.FlushOf(f, p.file(fileTranscript), durable.Transcript).Sync()
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return s.store.paths.flushNew(base, p)
}

// inputTurn is the turn that runs in a session and still takes inputs.
func (s *Signals) inputTurn(id string) (turn string, ok bool) {
	v := s.store.states.get(id)
	if v != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.lease != nil && v.lease.lock != nil {
			return v.lease.turn, v.lease.turn != "" && !v.lease.inputClosed
		}
	}
	n, ok := s.peekNote(id)
	if !ok || n.Turn == "" || n.Boot || n.InputClosed || !durable.Locked(s.store.lockPath(id)) {
		return "", false
	}
	return n.Turn, true
}
