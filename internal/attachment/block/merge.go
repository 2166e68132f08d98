package block

import "strings"

// Policy says how several messages become one when at least one of them has a block.
type Policy string

// The policies.
const (
	// Union joins the texts and puts the items of all blocks into one block.
	Union Policy = "union"
	// Newest forwards the newest message as it is, with or without a block. The texts and
	// files of the others are lost. The specification recommends it (B3).
	Newest Policy = "newest"
)

// Merge makes one message of several that [Compose] made, the oldest first. A blank line
// stands between their texts. The message has one block at most, and p decides what it
// holds. Dropped are the items that go beyond the caps, see [Compose].
func (p Policy) Merge(messages []string) (message string, dropped []Item) {
	var (
		texts  []string
		items  []Item
		blocks int
	)
	for _, m := range messages {
		text, its, ok := Parse(m)
		if ok {
			blocks++
		}
		items = append(items, its...)
		if text != "" {
			texts = append(texts, text)
		}
	}
	if blocks > 0 && p == Newest {
		return messages[len(messages)-1], nil
	}
	return Compose(strings.Join(texts, between), items)
}
