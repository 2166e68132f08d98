package document

import (
	"bytes"
	"slices"
	"strings"
)

// Find returns the first field with one of the labels, as [Document.Field] of the
// parsed data does, without making a document of it: for readers that want one
// field of each of ten thousand files.
func Find(data []byte, labels ...string) (Field, bool) {
	data = bytes.TrimPrefix(data, []byte(bom))
	open := ""
	for number := 0; len(data) > 0; number++ {
		var line []byte
		line, data = cutBytes(data)
		switch first := firstByte(line); {
		case first == '`' || first == '~':
			open, _ = fenced(open, string(line))
		case open == "" && (first == '*' || first == '-' || first == '+'):
			f, ok := field(string(line))
			if ok && slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(f.Label, l) }) {
				f.Line = number
				return f, true
			}
		}
	}
	return Field{}, false
}

// cutBytes is cut without the line's end.
func cutBytes(data []byte) (line, rest []byte) {
	i := bytes.IndexByte(data, '\n')
	end := i + 1
	if i < 0 {
		i, end = len(data), len(data)
	}
	if r := bytes.IndexByte(data[:i], '\r'); r >= 0 {
		if r+1 < i || i == len(data) {
			return data[:r], data[r+1:]
		}
		i = r // "\r\n"
	}
	return data[:i], data[end:]
}

// firstByte is the first byte of a line that is not a blank, 0 for none.
func firstByte(line []byte) byte {
	for _, c := range line {
		if c != ' ' {
			return c
		}
	}
	return 0
}
