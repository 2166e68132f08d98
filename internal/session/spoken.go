package session

import (
	"belay/internal/attachment"
	"belay/internal/attachment/block"
)

// Spoken is a person's message as models read it: with the block of the files that came with
// it. What the person typed never makes a block.
func Spoken(message string, links []block.Item) string {
	spoken, _ := block.Compose(message, links) // the caps held when the message came
	return spoken
}

// BlockAt are the files for which the message of entries[i] has a block. Messages that people
// sent into a running turn and that its model gets together are entries next to each other:
// the last of them has one block for the files of all, and the others have none.
func BlockAt(entries []Entry, i int) []block.Item {
	if entries[i].Kind != EntryInput {
		return entries[i].Links
	}
	if i+1 < len(entries) && entries[i+1].Kind == EntryInput {
		return nil
	}
	var inputs []Input
	for ; i >= 0 && entries[i].Kind == EntryInput; i-- {
		inputs = append([]Input{{Links: entries[i].Links, Items: entries[i].Attachments}}, inputs...)
	}
	return BlockOf(inputs)
}

// BlockOf are the files of inputs that a model gets together, each once. The attached files of
// the last one are not among them: the model is shown them with it.
func BlockOf(inputs []Input) []block.Item {
	var all []block.Item
	for i, in := range inputs {
		all = append(all, in.Links...)
		if i < len(inputs)-1 {
			all = append(all, Uploads(in.Items)...)
		}
	}
	return block.Unite(all)
}

// Uploads are attached files as items of a block.
func Uploads(files []attachment.Item) []block.Item {
	items := make([]block.Item, len(files))
	for i, it := range files {
		items[i] = block.Item{SHA256: it.SHA256, Filename: it.Name, MIMEType: it.MIMEType, Size: it.Bytes}
	}
	return items
}
