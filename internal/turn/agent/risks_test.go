package agent

import (
	"testing"

	"belay/internal/session"
)

// A file that was changed more than once has its first content and its last, each where
// the change has it that knows it.
func TestNetChanges(t *testing.T) {
	t.Parallel()
	change := func(before, after, pack string) session.Entry {
		return session.Entry{Kind: session.EntryTools, Turn: "a", Changes: []session.Change{{Path: "f", Before: before, After: after, Pack: pack}}}
	}
	turn := session.Entry{Kind: session.EntryTurn, Turn: "a"}
	all := netChanges([]session.Entry{turn, change("1", "2", "p"), change("2", "3", "q")}, "a")
	if len(all) != 1 || all[0].first.Before != "1" || all[0].first.Pack != "p" || all[0].last.After != "3" || all[0].last.Pack != "q" {
		t.Errorf("%+v", all)
	}
	if all := netChanges([]session.Entry{turn, change("1", "2", "p"), change("2", "1", "q")}, ""); len(all) != 0 {
		t.Errorf("a file that is as before: %+v", all)
	}
}
