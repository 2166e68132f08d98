package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// An input's file gets takenSuffix after inputSuffix when its turn has taken it.
// It goes when the transcript that has the input is flushed.
const (
	inputSuffix = ".json"
	takenSuffix = ".taken"
)

// Inputs are those that wait for the running turn of a session, in their order. What it
// has taken is not among them.
func (s *Signals) Inputs(id string) ([]Input, error) {
	const failed = "the inputs could not be read"
	entries, err := os.ReadDir(filepath.Join(s.store.o.StateDir, dirInputs, id))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, storage(failed, err)
	}
	turn, _ := s.inputTurn(id)
	var inputs []Input
	for _, e := range entries { // ReadDir sorts them
		name := e.Name()
		if !strings.HasSuffix(name, inputSuffix) {
			continue
		}
		data, _, err := durable.ReadFile(s.store.stateDir.Root(), dirInputs+"/"+id+"/"+name, maxInputBytes)
		if missing(err) {
			continue // taken meanwhile
		}
		if err != nil {
			return nil, storage(failed, err)
		}
		var in Input
		if json.Unmarshal(data, &in) != nil || in.Turn != turn || turn == "" {
			continue // no turn takes it
		}
		in.ID = strings.TrimSuffix(name, inputSuffix)
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// inputPattern is how inputs are called.
var inputPattern = lazyregexp.New(`^[0-9]{20}-[A-Za-z0-9_-]{1,150}$`)

// DropInput takes an input back that [Signals.Inputs] has named. One that the turn has
// taken, or that is not there, is NOT_FOUND.
func (s *Signals) DropInput(id, input string) error {
	gone := fault.New(fault.NotFound, "no input %q waits in session %s", clip(input, 80), id).With("input", clip(input, 80)).
		WithHint("the turn may have taken it; the session's events show it then")
	if !ValidID(id) || !inputPattern.MatchString(input) {
		return gone
	}
	err := durable.Remove(s.store.stateDir.Root(), dirInputs+"/"+id+"/"+input+inputSuffix)
	if unreached(err) {
		return gone
	}
	return storage("the input could not be taken back", err)
}

// nextInput is the number that puts an input after those that wait, also where the clock
// has not moved on or was set back.
func (s *Signals) nextInput(waiting []string) int64 {
	now := s.store.o.Clock().UnixNano()
	if len(waiting) == 0 {
		return now
	}
	number, _, _ := strings.Cut(waiting[len(waiting)-1], "-")
	last, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return now
	}
	return max(now, last+1)
}

// inputNames are the names of a session's inputs without takenSuffix, in their
// order.
func (s *Signals) inputNames(id string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.store.o.StateDir, dirInputs, id))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), takenSuffix); strings.HasSuffix(name, inputSuffix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
