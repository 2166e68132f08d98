package pdf

import (
	"bytes"
	"fmt"
)

// maxNesting is how deep arrays, dictionaries and the parentheses of one string
// may lie within each other. Real files stay below twenty.
const maxNesting = 256

// precheck finds files that would keep the engine busy for nothing: those in
// which no trailer can name a catalogue, and those whose values nest without
// end. It goes through data twice, allocates nothing, and takes a few
// milliseconds per 10 MiB. It is a shortcut, not the boundary: what it misses
// costs the engine at most its time and memory.
func precheck(data []byte) error {
	if !bytes.Contains(data, []byte("/Root")) {
		return fmt.Errorf("%w: nothing names a catalogue", ErrDamaged)
	}
	if tooDeep(data) {
		return errTooDeep
	}
	return nil
}

var errTooDeep = &ExcessError{Reason: fmt.Sprintf("its values are nested more than %d deep", maxNesting)}

// tooDeep skips what a PDF lexer skips: comments, strings and the bytes of
// streams. A stream that does not end hides the rest.
func tooDeep(data []byte) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '[':
			depth++
		case '<':
			if i+1 < len(data) && data[i+1] == '<' {
				depth++
				i++
			}
		case ']':
			depth = max(depth-1, 0)
		case '>':
			if i+1 < len(data) && data[i+1] == '>' {
				depth = max(depth-1, 0)
				i++
			}
		case '%':
			i += lineEnd(data[i:])
		case '(':
			n, deep := literalEnd(data[i:])
			if deep {
				return true
			}
			i += n
		case 's':
			i += streamEnd(data, i)
		}
		if depth > maxNesting {
			return true
		}
	}
	return false
}

// lineEnd returns how many bytes precede the end of the line.
func lineEnd(data []byte) int {
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
		return i
	}
	return len(data)
}

// literalEnd returns where the string that begins data has its last parenthesis,
// and whether the ones in it nest too deep.
func literalEnd(data []byte) (end int, deep bool) {
	open := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '(':
			if open++; open > maxNesting {
				return i, true
			}
		case ')':
			if open--; open == 0 {
				return i, false
			}
		}
	}
	return len(data), false
}

// streamEnd returns how many bytes to skip where a stream begins at i, and 0 if
// none does: the keyword stands after a dictionary and before a line's end.
func streamEnd(data []byte, i int) int {
	const begin, end = "stream", "endstream"
	if !bytes.HasPrefix(data[i:], []byte(begin)) {
		return 0
	}
	after := i + len(begin)
	if after >= len(data) || data[after] != '\r' && data[after] != '\n' {
		return 0
	}
	before := backSpace(data, i)
	if before < 2 || data[before-1] != '>' || data[before-2] != '>' {
		return 0
	}
	n := bytes.Index(data[after:], []byte(end))
	if n < 0 {
		return len(data) - i
	}
	return after - i + n + len(end) - 1
}
