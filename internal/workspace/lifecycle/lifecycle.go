// Package lifecycle is _STATUS.md: the state that a deliverable is in, how it came
// there, and who may move it on.
//
// [Parse] reads a file as people really write it: history as a list, a table or
// both, oldest or newest first, under several headings. What it finds is a
// [Status], which encodes to JSON as the compatible contract has it;
// [Status.Check] says how the file differs from the specification, and where its
// history contradicts itself. [Evidence] says what the state rests on and is not there.
// [Quick] finds the state alone, for scans.
//
// [Transition] moves a file's text on: it checks the request against the table of
// transitions and splices the change in, in the form that the file
// has. Only the lines of the state, the date, the approval and the new entry
// change; every other byte stays. The package touches no disk: statusfile does.
//
// Contract: workspace spec, section 3; compatible contract, 8.1, 8.2, S4, S5 and S31
// to S34.
package lifecycle

import (
	"slices"
	"strings"
)

// State is one of the lifecycle's states.
type State string

// The states, in their order (workspace 3.2).
const (
	Open          State = "OPEN"
	Initialized   State = "INITIALIZED"
	SemanticReady State = "SEMANTIC_READY"
	InProgress    State = "IN_PROGRESS"
	Checking      State = "CHECKING"
	Issued        State = "ISSUED"
)

var states = []State{Open, Initialized, SemanticReady, InProgress, Checking, Issued}

// States are all states, in their order.
func States() []State { return slices.Clone(states) }

// rank is the state's place in the order. One that the lifecycle does not have
// comes after all others: it is where projects put what they are done with.
func (s State) rank() int {
	if i := slices.Index(states, s); i >= 0 {
		return i
	}
	return len(states)
}

// Known reports whether the lifecycle has the state.
func (s State) Known() bool { return slices.Contains(states, s) }

// Reached reports whether a deliverable in state s has got to other, or further.
// One in an unknown state has not.
func (s State) Reached(other State) bool { return s.Known() && s.rank() >= other.rank() }

// ParseState reads the name of a state as a request writes it, in any case.
func ParseState(name string) (State, bool) {
	s := State(strings.ToUpper(strings.TrimSpace(name)))
	return s, s.Known()
}

// The actors that transitions name (workspace 3.3).
const (
	Human        = "HUMAN"
	Preparation  = "PREPARATION"
	Documents    = "4_DOCUMENTS"
	Framework    = "CHIRALITY_FRAMEWORK"
	WorkingItems = "WORKING_ITEMS"
)

// Rule is a transition that the lifecycle has.
type Rule struct {
	From, To State
	// Actors may make it.
	Actors []string
	// Approval is the label under which the commit is recorded that a person
	// approved; "" where the transition needs none.
	Approval string
}

// machine is the table of transitions (workspace 3.3; compatible contract, 8.2), without the creation of the file in state
// OPEN, which is no transition of it.
var machine = []Rule{
	{Open, Initialized, []string{Documents}, ""},
	{Initialized, SemanticReady, []string{Framework}, ""},
	{Initialized, InProgress, []string{Human, WorkingItems}, ""},
	{SemanticReady, InProgress, []string{Human, WorkingItems}, ""},
	{InProgress, Checking, []string{Human}, labelChecking},
	{Checking, Issued, []string{Human}, labelIssued},
}

// The labels of approvals.
const (
	labelChecking = "Checking Approval SHA"
	labelIssued   = "Approval SHA"
)

// rule returns the transition from one state to another.
func rule(from, to State) (Rule, bool) {
	i := slices.IndexFunc(machine, func(r Rule) bool { return r.From == from && r.To == to })
	if i < 0 {
		return Rule{}, false
	}
	return machine[i], true
}

// next are the states that a transition leads to.
func next(from State) []State {
	all := []State{}
	for _, r := range machine {
		if r.From == from {
			all = append(all, r.To)
		}
	}
	return all
}

// Transitions are those that lead on from a state, none from one that is unknown or the
// last. The slices are the caller's.
func Transitions(from State) []Rule {
	all := []Rule{}
	for _, r := range machine {
		if r.From == from {
			r.Actors = slices.Clone(r.Actors)
			all = append(all, r)
		}
	}
	return all
}
