package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"belay/internal/durable"
	"belay/internal/fault"
)

// TakeInputs returns what was said into a turn since the last call, in its order:
// the running turn, or one that died. The caller appends each to the transcript
// ([Entry.Input]). Its file goes with the next [Lease.Commit], so that whatever
// happens in between, the next lease finds it in one of the two. An input for a turn
// that has ended is removed, and so is one that was sent twice under one key, as to two
// processes at once. Of two messages under one key both are said: each was promised. A file that is not an input is removed and reported. Inputs
// that it returns with an error have been taken; the next call tries the others.
func (l *Lease) TakeInputs(turn string) (inputs []Input, err error) {
	const failed = "what was said into the turn could not be read"
	v := l.state
	v.mu.Lock()
	err = l.check()
	entries := v.transcript.shared()
	v.mu.Unlock()
	if err != nil {
		return nil, err
	}
	names, err := v.store.Signals.inputNames(v.id)
	if err != nil || len(names) == 0 {
		return nil, storage(failed, err)
	}
	recorded := map[string][]string{} // by name and by key, the digests of inputs
	record := func(name string) {
		key, digest := keyed(name)
		recorded[name], recorded[key] = []string{digest}, append(recorded[key], digest)
	}
	again := func(name string) bool {
		key, digest := keyed(name)
		return recorded[name] != nil || key != "" && slices.ContainsFunc(recorded[key], func(d string) bool { return d == digest || d == "" || digest == "" })
	}
	for i := range entries {
		if entries[i].Input != "" {
			record(entries[i].Input)
		}
	}
	for name := range l.took {
		record(name)
	}
	var errs []error
	for _, name := range names {
		if l.took[name] {
			continue
		}
		file := dirInputs + "/" + v.id + "/" + name
		in, err := v.store.Signals.takeInput(file)
		in.ID = name
		switch {
		case err == nil && in.Turn == turn && !again(name):
			if l.took == nil {
				l.took = map[string]bool{}
			}
			l.took[name] = true
			record(name)
			inputs = append(inputs, in)
		case missing(err): // a person has taken it back meanwhile
		case fault.IsShortage(err):
			errs = append(errs, err) // it stays
		default:
			errs = append(errs, err, removeIfThere(v.store.stateDir.Root(), file+takenSuffix))
		}
	}
	return inputs, storage(failed, errors.Join(errs...))
}

// takeInput reads an input and marks its file as taken.
func (s *Signals) takeInput(name string) (in Input, err error) {
	if err := durable.Rename(s.store.stateDir.Root(), name, name+takenSuffix); err != nil && !missing(err) {
		return in, err
	}
	data, _, err := durable.ReadFile(s.store.stateDir.Root(), name+takenSuffix, maxInputBytes)
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	return in, err
}

// dropTaken removes the files of inputs that the flushed transcript has.
func (l *Lease) dropTaken(names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, removeIfThere(l.state.store.stateDir.Root(), dirInputs+"/"+l.state.id+"/"+name+takenSuffix))
	}
	return errors.Join(errs...)
}

// CloseInput says that the running turn takes no more inputs, and returns
// those that came before: if there are any, the turn goes on and listens again.
// Inputs that it returns with an error have been taken.
func (l *Lease) CloseInput() ([]Input, error) {
	if err := l.listen(false); err != nil {
		return nil, err
	}
	inputs, err := l.TakeInputs(l.turn)
	if err != nil || len(inputs) == 0 {
		return inputs, err
	}
	return inputs, l.listen(true)
}

func (l *Lease) listen(on bool) error {
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.check(); err != nil || l.inputClosed == !on {
		return err
	}
	n := v.lastNote()
	n.PID, n.Turn, n.InputClosed = os.Getpid(), l.turn, !on
	if err := l.writeNote(n); err != nil {
		return storage("the session's lock could not be written", err)
	}
	l.inputClosed = !on
	return nil
}

// dropInputs removes what is left for a session that is gone.
func (s *Signals) dropInputs(id string) error {
	if _, err := os.Lstat(filepath.Join(s.store.o.StateDir, dirInputs, id)); missing(err) {
		return nil
	}
	return durable.RemoveAll(s.store.stateDir.Root(), dirInputs+"/"+id)
}
