package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"belay/internal/session"
	"belay/internal/tool"
)

const (
	// maxDiff caps a diff that people and models are shown, in bytes.
	maxDiff = 64 << 10
	// maxCompare caps a content that is compared line by line.
	maxCompare = 8 << 20
)

// Diff shows a change as a unified diff, at most 64 KiB. What cannot be shown as
// one (binary, not kept, too large) is said in its place. The error is the blob
// store's.
func Diff(blobs tool.Blobs, c session.Change) (string, error) {
	switch was, is := c.BeforeMode.IsDir(), c.AfterMode.IsDir(); {
	case was && is:
		return fmt.Sprintf("%s/: permissions %v become %v\n", tool.Printable(c.Path), c.BeforeMode.Perm(), c.AfterMode.Perm()), nil
	case is && c.Before == "":
		return tool.Printable(c.Path) + "/: a new folder\n", nil
	case was && c.Removes():
		return tool.Printable(c.Path) + "/: a folder, removed\n", nil
	}
	before, kept, err := contentOf(blobs, c, c.Before, c.BeforeBytes, c.BeforeAt)
	if err != nil {
		return "", fmt.Errorf("diff of %s: %w", c.Path, err)
	}
	after, kept2, err := contentOf(blobs, c, c.After, c.AfterBytes, c.AfterAt)
	if err != nil {
		return "", fmt.Errorf("diff of %s: %w", c.Path, err)
	}
	modes := ""
	switch was, is := c.BeforeMode&fs.ModeSymlink != 0, c.AfterMode&fs.ModeSymlink != 0; {
	case c.Before == "" || c.After == "" || c.BeforeMode == c.AfterMode:
	case is && !was:
		modes = tool.Printable(c.Path) + ": a link, in the place of a file\n"
	case was && !is:
		modes = tool.Printable(c.Path) + ": a file, in the place of a link\n"
	default:
		modes = fmt.Sprintf("mode %v -> %v\n", c.BeforeMode, c.AfterMode)
	}
	if !kept || !kept2 || c.Lost != "" {
		return modes + fmt.Sprintf("%s: from %d to %d bytes; the contents were not kept\n", tool.Printable(c.Path), c.BeforeBytes, c.AfterBytes), nil
	}
	return modes + unified(c.Path, before, after), nil
}

// contentOf reads one side of a change: nil where there was no file. It is false
// for what was not kept or is too large to compare.
func contentOf(blobs tool.Blobs, c session.Change, sha string, size, at int64) (data []byte, ok bool, err error) {
	if sha == "" {
		return nil, true, nil
	}
	if size > maxCompare {
		return nil, false, nil
	}
	content, err := KeptContent(blobs, c, sha, size, at)
	if errors.Is(err, session.ErrNoBlob) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	r, err := content.Open()
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	if data, err = io.ReadAll(io.LimitReader(r, maxCompare+1)); err != nil {
		return nil, false, err
	}
	return data, len(data) <= maxCompare, nil
}

// Compare shows the difference of two contents of a file as [Diff] does.
func Compare(path string, before, after []byte) string { return unified(path, before, after) }

// unified is the unified diff of two contents of a file, nil for no file, capped
// at a line. It is empty where nothing changed. No name makes lines of its own.
func unified(path string, before, after []byte) string {
	from, to := tool.Printable("a/"+path), tool.Printable("b/"+path)
	path = tool.Printable(path)
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	was, _, err1 := characters(before)
	is, _, err2 := characters(after)
	switch {
	case before == nil && after != nil && len(after) == 0:
		return path + ": a new, empty file\n"
	case after == nil && before != nil && len(before) == 0:
		return path + ": an empty file, removed\n"
	case bytes.Equal(before, after):
		return ""
	case err1 != nil || err2 != nil:
		return fmt.Sprintf("%s: binary, from %d to %d bytes\n", path, len(before), len(after))
	case len(before) > maxCompare || len(after) > maxCompare:
		return fmt.Sprintf("%s: too large to compare, from %d to %d bytes\n", path, len(before), len(after))
	case bytes.Equal(was, is):
		return fmt.Sprintf("%s: only the encoding changed, from %d to %d bytes\n", path, len(before), len(after))
	}
	start, end := sharedEnds(was, is)
	out := diff.Diff(from, was[start:len(was)-end], to, is[start:len(is)-end])
	_, text, _ := strings.Cut(string(out), "\n") // the first line is of no standard
	return capDiff(moveHunks(text, bytes.Count(was[:start], []byte{'\n'})))
}

// shownAround is how many lines a diff shows around a change.
const shownAround = 3

// sharedEnds is how many bytes two texts have in common at their start and at their end, in
// whole lines, but for those that a diff shows. The rest has the same diff: to compare
// all lines of a long text takes longer than all else about a small change.
func sharedEnds(was, is []byte) (start, end int) {
	least := min(len(was), len(is))
	for start < least && was[start] == is[start] {
		start++
	}
	for end < least-start && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	for n := 0; n <= shownAround && start >= 0; n++ {
		start = bytes.LastIndexByte(was[:start], '\n')
	}
	start++
	for range 1 + shownAround {
		at := bytes.IndexByte(was[len(was)-end:], '\n')
		if at < 0 {
			return start, 0
		}
		end -= at + 1
	}
	return start, end
}

// moveHunks adds to the numbers of the lines in a diff those that were left out before it.
func moveHunks(text string, lines int) string {
	if lines == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		var was, wasLines, is, isLines int
		if strings.HasPrefix(line, "@@") { // other lines of a diff begin with another sign
			_, _ = fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &was, &wasLines, &is, &isLines) // it has this form
			line = fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", was+lines, wasLines, is+lines, isLines)
		}
		b.WriteString(line)
	}
	return b.String()
}

// capDiff cuts a diff at a line.
func capDiff(text string) string {
	const room = 100
	if len(text) <= maxDiff {
		return text
	}
	end := strings.LastIndexByte(text[:maxDiff-room], '\n') + 1
	return text[:end] + fmt.Sprintf("[%d more lines of the diff are not shown]\n", strings.Count(text[end:], "\n"))
}
