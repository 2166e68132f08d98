package document

import (
	"slices"
	"strings"
)

// Field is a line with a bold label: "**Label:** value", also as an item of a
// list, and with the colon outside the bold.
type Field struct {
	Label, Value string
	// Line is its line, from 0.
	Line int
	// prefix and suffix stand around the value.
	prefix, suffix string
}

// Fields returns the fields outside code blocks and comments of the lines first ≤ line < end.
func (d *Document) Fields(first, end int) []Field {
	var all []Field
	for i := first; i < end; i++ {
		if f, ok := field(d.lines[i].Text); ok && !d.Inert(i) {
			f.Line = i
			all = append(all, f)
		}
	}
	return all
}

// Field returns the first field of the whole file with one of the labels, letter
// case apart.
func (d *Document) Field(labels ...string) (Field, bool) {
	for i := range d.lines {
		f, ok := field(d.lines[i].Text)
		if ok && slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(f.Label, l) }) && !d.Inert(i) {
			f.Line = i
			return f, true
		}
	}
	return Field{}, false
}

// SetField replaces the value of a field that [Document.Fields] returned; the rest
// of its line stays.
func (d *Document) SetField(f Field, value string) {
	prefix := f.prefix
	if value != "" && (strings.HasSuffix(prefix, "*") || strings.HasSuffix(prefix, ":")) {
		prefix += " "
	}
	d.lines[f.Line].Text = prefix + oneLine(value) + f.suffix
	d.edited()
}

// field reads "**Label:** value" or "**Label**: value", with up to three blanks
// or a list's dash before.
func field(line string) (Field, bool) {
	body := strings.TrimLeft(line, " ")
	if body == "" || strings.IndexByte("*-+", body[0]) < 0 || len(line)-len(body) > 3 {
		return Field{}, false
	}
	if len(body) > 1 && strings.IndexByte("-*+", body[0]) >= 0 && body[1] == ' ' {
		body = strings.TrimLeft(body[1:], " ")
	}
	inner, ok := strings.CutPrefix(body, "**")
	if !ok {
		return Field{}, false
	}
	label, rest, ok := strings.Cut(inner, "**")
	if !ok {
		return Field{}, false
	}
	if trimmed := strings.TrimSpace(label); strings.HasSuffix(trimmed, ":") {
		label = strings.TrimSuffix(trimmed, ":")
	} else if after, ok := strings.CutPrefix(rest, ":"); ok {
		rest = after
	} else {
		return Field{}, false
	}
	label = strings.TrimSpace(label)
	if label == "" {
		return Field{}, false
	}
	value := strings.Trim(rest, " \t")
	at := len(line) - len(strings.TrimLeft(rest, " \t"))
	if value == "" {
		at = len(line) - len(rest)
		return Field{Label: label, prefix: line[:at], suffix: rest}, true
	}
	return Field{Label: label, Value: value, prefix: line[:at], suffix: line[at+len(value):]}, true
}
