package session

import "belay/internal/attachment/block"

// Spoken is a person's message as models read it: with the block of the files that came with
// it. What the person typed never makes a block.
func Spoken(message string, links []block.Item) string {
	spoken, _ := block.Compose(message, links) // the caps held when the message came
	return spoken
}
