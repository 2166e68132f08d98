package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/session"
)

// acted is what an agent did in a turn, as a record has it.
func acted() []session.Entry {
	at := session.Time{Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	call := func(id, name, input string) session.Block {
		return session.Block{Type: session.BlockToolCall, ID: id, Name: name, Input: []byte(input)}
	}
	result := func(id, name, text string) session.Block {
		return session.Block{Type: session.BlockToolResult, ID: id, Name: name, Text: text}
	}
	var restored []session.Change
	for i := range 10 {
		restored = append(restored, session.Change{Path: fmt.Sprintf("PKG/%d/_STATUS.md", i), Before: "a", After: "b", Restored: true})
	}
	failed := result("c2", "edit", strings.TrimSpace(strings.Repeat("the old text is not there ", 5)))
	failed.Failed = true
	return []session.Entry{
		{Kind: session.EntryAssistant, Time: at, Model: "m", Blocks: []session.Block{
			{Type: session.BlockThinking, Text: strings.Repeat("I should look & think. ", 20)},
			call("c1", "bash", `{"command":"for i in $(seq 1 400); do echo line $i && true; done","description":"counts"}`),
			call("c2", "edit", `{"path":"PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels/deck.csv","edits":[]}`),
			call("c3", "list", `{}`),
			call("c4", "agent.CHECKER", `{"task":"check it"}`),
		}},
		{Kind: session.EntryTools, Blocks: []session.Block{result("c1", "bash", strings.Repeat("line\n", 400))}, Changes: append(restored, session.Change{Path: "made.txt", After: "c", AfterBytes: 5})},
		{Kind: session.EntryIntent, Changes: []session.Change{{Call: "c2", Path: "deck.csv"}}},
		{Kind: session.EntryTools, Blocks: []session.Block{failed}},
		{Kind: session.EntryTools, Seen: []session.Sight{{Path: "deck.csv"}}},
		{Kind: session.EntryTools, Blocks: []session.Block{result("c3", "list", "one\ntwo\nthree\nfour\nfive")}},
		{Kind: session.EntryAssistant, Time: at, Model: "m", Agent: "c4", Blocks: []session.Block{{Type: session.BlockText, Text: "checked"}}},
		{Kind: session.EntryAssistant, Time: at, Model: "m", Agent: "summary", Blocks: []session.Block{{Type: session.BlockText, Text: "in short"}}},
		{Kind: session.EntrySummary, Time: at, Model: "m", Turn: "turn_1", Through: "turn_1", Rounds: 1, Summary: "in short"},
	}
}

func printed(entries []session.Entry, full bool, columns int) string {
	var out bytes.Buffer
	c := newConsole(nil, &out, &bytes.Buffer{}, []string{fmt.Sprint("COLUMNS=", columns)})
	p := &transcript{c: c, full: full, calls: map[string]session.Block{}}
	for _, e := range entries {
		p.entry(e)
	}
	return out.String()
}

// A record is read at a glance: the first lines of what is long, one line for the
// files that were not changed, results of one answer under one head.
func TestTranscriptIsFolded(t *testing.T) {
	t.Parallel()
	want := `── m, 2026-03-01 12:00:00
  thinking: I should look & think. I should look & think. I
            should look & think. I should look & think. I
            should look & think. I should look & think. I
            should look & think. I should look & think. I
            … 6 more lines (--full shows all)
  calls bash for i in $(seq 1 400); do echo line $i && true…
  calls edit PKG-01_Bridge/1_Working/DEL-01-01_Dec…/deck.csv
  calls list
  calls agent.CHECKER check it
── tools
  result of bash for i in $(seq 1 400); do echo line $i &&…
    line
    line
    line
    line
    … 396 more lines (--full shows all)
  made made.txt, 5 B
  not applied to 10 files, which a command may not change:
    PKG/0/_STATUS.md, PKG/1/_STATUS.md, PKG/2/_STATUS.md,
    PKG/3/_STATUS.md, PKG/4/_STATUS.md, PKG/5/_STATUS.md,
    PKG/6/_STATUS.md, PKG/7/_STATUS.md and 2 more
  failure of edit PKG-01_Bri…/1_Working/DEL-01-01_…/deck.csv
    the old text is not there the old text is not there the
    old text is not there the old text is not there the old
    text is not there
  result of list
    one
    two
    three
    four
    five
── m, 2026-03-01 12:00:00, agent CHECKER
checked
── everything up to answer 1 of this turn, in short, for a
   model that cannot hold it
in short
`
	want = strings.ReplaceAll(want, "2026-03-01 12:00:00", when(acted()[0].Time.Time)) // here
	if diff := cmp.Diff(want, printed(acted(), false, 60)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, columns := range []int{60, 80, 120} {
		for _, l := range strings.Split(printed(acted(), false, columns), "\n") {
			if cells(l) > columns {
				t.Errorf("at %d columns a line takes %d: %s", columns, cells(l), l)
			}
		}
	}
}

func TestTranscriptInFull(t *testing.T) {
	t.Parallel()
	got := printed(acted(), true, 80)
	if n := strings.Count(got, "    line\n"); n != 400 {
		t.Errorf("%d of 400 lines are shown", n)
	}
	for _, want := range []string{"PKG/9/_STATUS.md", `"description":"counts"`, "deck.csv"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(got, "--full") {
		t.Error("something is left out")
	}
}
