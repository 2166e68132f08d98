// Package block is the list of files at the end of a person's message:
//
//	[[lilac.attachments]]{"items":[{"url":"…","filename":"…","mimeType":"…"}]}[[/lilac.attachments]]
//
// A surface that receives files from people writes it with [Compose], and the tool
// attachment.download reads it with [Parse], so no model names an address. [Merge] joins
// several messages into one that ends with a single block.
//
// The block is trusted, what people write is not. [Compose] and [Merge] escape the markers
// in text, and [Parse] accepts one block alone, at the very end. So nothing that a person
// writes, in a message or in the name of a file, becomes an item.
//
// An address may be signed: its query is a secret. [Public] gives the items as models,
// transcripts and logs may have them.
//
// The package is pure. Specification: the bus and Discord, B2 and B3.
package block

import (
	"bytes"
	"encoding/json"
	"strings"
)

const (
	opening = "[[lilac.attachments]]"
	closing = "[[/lilac.attachments]]"
	// between stands between text and block.
	between = "\n\n"
)

// The caps of one block. What goes beyond them is dropped by [Compose] and [Merge], which
// report it, and makes a block that [Parse] does not accept.
const (
	MaxItems = 200
	MaxBytes = 128 << 10
)

// body is the JSON between the markers. Members that a later version adds are ignored.
type body struct {
	Items []Item `json:"items"`
}

// Compose returns the message of a person who wrote text and sent items. Text is escaped,
// and a file that occurs twice is one item. Without an item the message is the escaped
// text. Dropped are the items that are not in the block: those that are not [Item.Valid],
// and the last ones where there are more than the caps allow.
func Compose(text string, items []Item) (message string, dropped []Item) {
	kept, dropped := fit(items)
	return join(Escape(text), encode(kept)), dropped
}

// Parse splits a message into text and items. Ok is false where the message has no block;
// text is then the whole message. A block counts if it is the only one, stands at the end
// (white space may follow), is within the caps and holds valid JSON. Items that are not
// [Item.Valid] are skipped.
func Parse(message string) (text string, items []Item, ok bool) {
	before, rest, found := strings.Cut(message, opening)
	if !found {
		return message, nil, false
	}
	encoded, after, found := strings.Cut(rest, closing)
	if !found || strings.TrimSpace(after) != "" || strings.Contains(before, closing) || len(encoded) > MaxBytes {
		return message, nil, false
	}
	var b body
	if json.Unmarshal([]byte(encoded), &b) != nil || len(b.Items) > MaxItems {
		return message, nil, false
	}
	items, _ = unique(b.Items)
	return strings.TrimSuffix(before, between), items, true
}

// Escape returns text in which no marker is left: a backslash stands between its first two
// brackets. Text without markers stays as it is, and so does escaped text.
func Escape(text string) string {
	if !strings.Contains(text, "[[") {
		return text
	}
	return escaper.Replace(text)
}

var escaper = strings.NewReplacer(opening, `[\`+opening[1:], closing, `[\`+closing[1:])

// fit returns the items that one block can hold, each file once, and the others.
func fit(items []Item) (kept, dropped []Item) {
	valid, dropped := unique(items)
	size := 0
	for i, it := range valid {
		size += len(encode([]Item{it})) // more than the item alone needs, by a few bytes
		if i == MaxItems || size > MaxBytes {
			return valid[:i:i], append(dropped, valid[i:]...)
		}
	}
	return valid, dropped
}

// encode returns the JSON of items, "" for none. Two brackets in a row are escaped: they
// occur in strings alone, where they could begin a marker.
func encode(items []Item) string {
	if len(items) == 0 {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(body{items}) // strings and numbers alone: it cannot fail
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "[[", `\u005b\u005b`)
}

// join appends an encoded block to text.
func join(text, encoded string) string {
	switch {
	case encoded == "":
		return text
	case text == "":
		return opening + encoded + closing
	}
	return text + between + opening + encoded + closing
}
