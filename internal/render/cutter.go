package render

import (
	"strings"
	"unicode/utf8"
)

// Limits of one block, so that none costs much to set.
const (
	maxBlockBytes = 16 << 10
	maxBlockLines = 300
	// maxFence is the longest line that is taken for the beginning of code.
	maxFence = 200
)

// Cutter cuts a streamed markdown text into blocks that can be set one by one: at
// empty lines outside of fenced code, but not within a list, whose items belong
// together. A block that grows too large is cut where it is, and fenced code
// goes on in the next with the same fence.
//
// Blocks give the text back when they are joined, but for the repeated fences and
// the empty lines between them.
type Cutter struct {
	rest string
	// seen is how much of rest was looked at: whole lines without an end of the
	// block.
	seen, lines int
	// fence is the line that opened the code that is still open.
	fence string
	// list is set in a list, blank after an empty line in it.
	list, blank bool
}

// Write takes more of the text and returns the blocks that are finished.
func (c *Cutter) Write(s string) []string {
	var done []string
	for s != "" {
		n := WholeRunes(s, 2*maxBlockBytes)
		c.rest += s[:n]
		s = s[n:]
		done = append(done, c.finished()...)
	}
	return done
}

// finished takes the finished blocks out of what there is.
func (c *Cutter) finished() []string {
	var done []string
	for {
		end := strings.IndexByte(c.rest[c.seen:], '\n')
		if end < 0 {
			if len(c.rest) <= maxBlockBytes {
				return done
			}
			done = append(done, c.split(WholeRunes(c.rest, maxBlockBytes)))
			continue
		}
		line := c.rest[c.seen : c.seen+end]
		if at, ends := c.ends(line); ends {
			if b := c.take(at); b != "" {
				done = append(done, b)
			}
			continue
		}
		c.seen, c.lines = c.seen+end+1, c.lines+1
		if c.seen > maxBlockBytes || c.lines >= maxBlockLines {
			done = append(done, c.split(min(c.seen, WholeRunes(c.rest, maxBlockBytes))))
		}
	}
}

// Tail is the block that is not finished.
func (c *Cutter) Tail() string { return c.rest }

// Flush ends the text and returns its last block, "" for none.
func (c *Cutter) Flush() string {
	last := strings.Trim(c.rest, "\n")
	*c = Cutter{}
	return last
}

// ends looks at the next whole line and reports whether the block ends with or
// before it, and at which byte.
func (c *Cutter) ends(line string) (int, bool) {
	text := strings.TrimSpace(line)
	switch {
	case c.fence != "":
		if closes(text, c.fence) {
			c.fence = ""
			if !c.list {
				return c.seen + len(line) + 1, true
			}
		}
		return 0, false
	case opens(text) && len(line) <= maxFence:
		c.fence, c.blank = line, false
		return 0, false
	case text == "":
		if c.list {
			c.blank = true
			return 0, false
		}
		return c.seen + len(line) + 1, true
	case marked(text):
		c.list, c.blank = true, false
	case c.list && c.blank && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t"):
		return c.seen, true // the list ended before this line
	}
	c.blank = false
	return 0, false
}

// take removes the block that ends at a byte.
func (c *Cutter) take(at int) string {
	block := strings.Trim(c.rest[:at], "\n")
	c.rest = c.rest[at:]
	c.seen, c.lines, c.list, c.blank = 0, 0, false, false
	return block
}

// split removes a block that grew too large, at a byte.
func (c *Cutter) split(at int) string {
	fence := c.fence
	block := c.take(at)
	if fence != "" {
		block += "\n" + run(strings.TrimSpace(fence))
		c.rest = fence + "\n" + c.rest
		c.seen = len(fence) + 1
	}
	return block
}

// WholeRunes is the largest length of at most n bytes that cuts no character.
func WholeRunes(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for i := n; i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return n // it is no text
}

// run is the fence of a line that opens code.
func run(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
}

// opens reports whether a line opens fenced code.
func opens(text string) bool {
	return strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
}

// closes reports whether a line closes the code that another opened.
func closes(text, fence string) bool {
	return opens(text) && strings.HasPrefix(text, run(strings.TrimSpace(fence))) && strings.Trim(text, text[:1]) == ""
}

// marked reports whether a line begins an item of a list.
func marked(text string) bool {
	rest := strings.TrimLeft(text, "0123456789")
	if n := len(text) - len(rest); n > 0 && n < 10 {
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "+ ")
}
