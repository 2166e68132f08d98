package session

import (
	"strings"
	"testing"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
)

// Each run of messages next to each other has one block, in its last message. A crash between
// two of them changes nothing: what is on record says it.
func TestBlockAt(t *testing.T) {
	t.Parallel()
	link := func(name string) []block.Item {
		return []block.Item{{URL: "https://cdn.example/" + name, Filename: name}}
	}
	entries := []Entry{
		{Kind: EntryTurn, Links: link("first")},
		{Kind: EntryAssistant},
		{Kind: EntryInput, Links: link("a")},
		{Kind: EntryInput, Attachments: []attachment.Item{{SHA256: strings.Repeat("0a", 32), Name: "b"}}},
		{Kind: EntryInput, Links: link("a"), Attachments: []attachment.Item{{SHA256: strings.Repeat("0b", 32), Name: "shown"}}},
		{Kind: EntryTools},
		{Kind: EntryInput, Links: link("c")},
	}
	for i, want := range []string{"first", "", "", "", "a b", "", "c"} {
		var names []string
		for _, it := range BlockAt(entries, i) {
			names = append(names, it.Filename)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("entry %d has a block of %q, want %q", i, got, want)
		}
	}
	if got := BlockAt(entries[:4], 3); len(got) != 1 || got[0].Filename != "a" {
		t.Errorf("before the last message came the block is %v", got)
	}
}
