package lifecycle

import (
	"cmp"
	"slices"
)

// order is how the entries of a history stand in the file.
type order int

const (
	oldestFirst order = iota
	newestFirst
	mixed
)

// orderOf looks at the dates, and where they are all the same at the states.
func orderOf(entries []Entry) order {
	rises, falls := false, false
	var before string
	for _, e := range entries {
		if !calendar(e.Date) {
			continue
		}
		rises = rises || before != "" && e.Date > before
		falls = falls || before != "" && e.Date < before
		before = e.Date
	}
	switch {
	case rises && falls:
		return mixed
	case rises:
		return oldestFirst
	case falls, leads(entries) < 0:
		return newestFirst
	}
	return oldestFirst
}

// leads weighs whether entries of one day lead from each to the next (more than
// 0) or to the one before (less): by the states that they come from, and by the
// order of the states.
func leads(entries []Entry) int {
	sum := 0
	for i := 1; i < len(entries); i++ {
		a, b := entries[i-1], entries[i]
		if b.From != "" && a.From != b.From {
			if b.From == a.State {
				sum++
			}
			if a.From == b.State {
				sum--
			}
		}
		sum += cmp.Compare(State(b.State).rank(), State(a.State).rank())
	}
	return sum
}

// chronological returns the entries from the oldest to the newest, whatever their
// order in the file. Those of one day are put so that each begins in the state in
// which the one before it ended, as far as they say.
func chronological(entries []Entry) []Entry {
	o := orderOf(entries)
	if o == oldestFirst {
		return entries
	}
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return cmp.Compare(dated(a), dated(b)) })
	state := ""
	for first := 0; first < len(sorted); {
		end := first + 1
		for end < len(sorted) && dated(sorted[end]) == dated(sorted[first]) {
			end++
		}
		chain(sorted[first:end], state)
		state = sorted[end-1].State
		first = end
	}
	return sorted
}

// dated is an entry's date for sorting. One that the calendar does not have
// counts as the oldest.
func dated(e Entry) string {
	if calendar(e.Date) {
		return e.Date
	}
	return ""
}

// maxChain is how many entries of one day are put in order one by one; no day has
// more that a person wrote.
const maxChain = 500

// chain puts entries of one day in order, from the state that the day began in,
// "" at the beginning of the history.
func chain(entries []Entry, state string) {
	if leads(entries) < 0 {
		slices.Reverse(entries)
	}
	if len(entries) > maxChain {
		return
	}
	for i := range entries {
		rest := entries[i:]
		at := follower(rest, state)
		e := rest[at]
		copy(rest[1:at+1], rest[:at])
		rest[0], state = e, e.State
	}
}

// follower is the entry that comes next after a state: one that stays in it, one
// that leaves it, the next that does not say where it comes from, or else the one
// that comes from the earliest state.
func follower(entries []Entry, state string) int {
	if at := slices.IndexFunc(entries, func(e Entry) bool { return e.From == state && e.State == state }); at >= 0 {
		return at
	}
	if at := slices.IndexFunc(entries, func(e Entry) bool { return e.From == state }); at >= 0 {
		return at
	}
	if entries[0].From == "" {
		return 0
	}
	at := 0
	for k, e := range entries {
		if e.From != "" && State(e.From).rank() < State(entries[at].From).rank() {
			at = k
		}
	}
	return at
}
