package files

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"belay/internal/tool"
)

// whole shows a page of a file that is read as a whole, so that its lines have
// numbers from the beginning and what was shown is remembered.
func (c *readCall) whole(f *os.File, info fs.FileInfo) (tool.Result, error) {
	got, err := slurp(f, info, c.w.Limits.ReadBytes)
	if err != nil {
		return tool.Result{}, err
	}
	text, _, err := decodeText(got.data)
	if err != nil {
		return tool.Result{}, err
	}
	lines := splitLines(text)
	if len(lines) == 0 {
		c.w.Seen.Note(c.p.shown(), got.sha256)
		return tool.Result{Text: "(the file is empty)", Value: c.value("", nil)}, nil
	}
	first := c.in.Offset - 1
	switch {
	case c.in.Offset == 0:
		first = 0
	case c.in.Offset < 0:
		first = max(0, len(lines)+c.in.Offset)
	case first >= len(lines):
		return tool.Result{}, tool.Refuse("%s has %d lines; line %d is after its end", c.p.shown(), len(lines), c.in.Offset)
	}
	page := layOut(lines[first:], 1+first, c.in.Limit, c.w.Limits.OutputBytes)
	last := first + page.lines
	if page.cut {
		c.w.Seen.NoteLines(c.p.shown(), got.sha256, 0, 0, len(lines)) // seen, but not all of it
	} else {
		c.w.Seen.NoteLines(c.p.shown(), got.sha256, first+1, last, len(lines))
	}
	result := tool.Result{Text: page.text, Truncated: last < len(lines), Value: c.value(text, lines[first:])}
	switch {
	case result.Truncated:
		result.Text += fmt.Sprintf("[lines %d to %d of %d; go on with offset %d]\n", first+1, last, len(lines), last+1)
	case first > 0:
		result.Text += fmt.Sprintf("[lines %d to %d, the end of the file]\n", first+1, last)
	}
	return result, nil
}

// head shows lines of a file that is too large to be read as a whole, as far
// from its beginning as one read looks.
func (c *readCall) head(f *os.File, info fs.FileInfo) (tool.Result, error) {
	data, err := section(f, info, 0, c.w.Limits.ReadBytes)
	if err != nil {
		return tool.Result{}, err
	}
	if end := bytes.LastIndexByte(data, '\n'); end >= 0 {
		data = data[:end+1]
	} else {
		data = data[:lastWhole(data)]
	}
	lines, err := c.linesOf(data, encodingOf(data), info)
	if err != nil {
		return tool.Result{}, err
	}
	first := max(0, c.in.Offset-1)
	if first >= len(lines) {
		return tool.Result{}, tool.Refuse("%s has %d bytes, and line %d is not in the first %d, which is how far a read looks",
			c.p.shown(), info.Size(), c.in.Offset, c.w.Limits.ReadBytes).
			WithHint("look at its end with a negative offset, or search it with grep")
	}
	page := layOut(lines[first:], 1+first, c.in.Limit, c.w.Limits.OutputBytes)
	last := first + page.lines
	page.text += fmt.Sprintf("[lines %d to %d of a file of %d bytes; go on with offset %d, or see its end with a negative offset]\n",
		first+1, last, info.Size(), last+1)
	return tool.Result{Text: page.text, Truncated: true, Value: c.part(lines[first:])}, nil
}

// part is the value of a page of a file of which no more than some lines were read, nil where
// these are not all that the call wants.
func (c *readCall) part(lines []string) map[string]any {
	if !c.limited || len(lines) < c.in.Limit {
		return nil
	}
	return c.value("", lines)
}

// tail shows the last lines, found from the end: nothing before them is read.
func (c *readCall) tail(f *os.File, info fs.FileInfo) (tool.Result, error) {
	mark, err := section(f, info, 0, 3)
	if err != nil {
		return tool.Result{}, err
	}
	want := -c.in.Offset
	var data []byte
	for n := min(info.Size(), 64<<10); ; n = min(4*n, c.w.Limits.ReadBytes) {
		if data, err = section(f, info, info.Size()-n, n); err != nil {
			return tool.Result{}, err
		}
		// One line end more than lines: the first line may have begun earlier.
		if bytes.Count(data, []byte{'\n'}) > want || n >= c.w.Limits.ReadBytes {
			break
		}
	}
	if _, rest, ok := bytes.Cut(data, []byte{'\n'}); ok {
		data = rest
	} else {
		data = data[firstWhole(data):]
	}
	lines, err := c.linesOf(data, encodingOf(mark), info)
	if err != nil {
		return tool.Result{}, err
	}
	lines = lines[max(0, len(lines)-want):]
	page := layOut(lines, -len(lines), c.in.Limit, c.w.Limits.OutputBytes)
	page.text += fmt.Sprintf("[%d of the last %d lines of a file of %d bytes; lines are numbered from the end]\n", page.lines, len(lines), info.Size())
	return tool.Result{Text: page.text, Truncated: true}, nil
}

// linesOf takes a part of a large file apart. A part of UTF-16 cannot be told
// from its middle, and its whole is too large to convert.
func (c *readCall) linesOf(data []byte, e encoding, info fs.FileInfo) ([]string, error) {
	if e == utf16Little || e == utf16Big {
		return nil, notText{fmt.Sprintf("is %s text of %d bytes, which is too large to convert", e, info.Size())}
	}
	text, _, err := decodeText(data)
	return splitLines(text), err
}
