package chat

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// maxPastedPath is the longest paste that is looked at as paths of images, maxPastedImages
// how many lines it may have.
const (
	maxPastedPath   = 16 << 10
	maxPastedImages = 20
)

// imageEndings are those of the images that models read.
var imageEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// pastedImages are the images whose paths a paste has, one on each line, as terminals write
// them when files are dropped on the window; nil where it is anything else.
func pastedImages(text string, p *paths) (found []string) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxPastedPath || strings.Count(text, "\n") >= maxPastedImages {
		return nil
	}
	for line := range strings.Lines(text) {
		path, ok := pastedImage(strings.TrimSpace(line), p)
		if !ok {
			return nil
		}
		found = append(found, path)
	}
	return found
}

// pastedImage is the image that a line names: as it is, in quotes, with backslashes, or as
// the address of a file.
func pastedImage(line string, p *paths) (path string, ok bool) {
	ways := []string{line}
	if n := len(line); n > 2 && (line[0] == '\'' || line[0] == '"') && line[n-1] == line[0] {
		ways = append(ways, line[1:n-1])
	}
	if strings.Contains(line, `\`) {
		ways = append(ways, unescaped(line))
	}
	if u, err := url.Parse(line); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		ways = append(ways, u.Path)
	}
	for _, way := range ways {
		// Relative names are words more often than files.
		if !filepath.IsAbs(way) && !strings.HasPrefix(way, "~/") || !slices.Contains(imageEndings, strings.ToLower(filepath.Ext(way))) {
			continue
		}
		if p.attachable(way) == nil {
			return way, true
		}
	}
	return "", false
}

// unescaped is a text without the backslashes that a shell would take away.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// attachPasted attaches the images that a paste names. It reports whether it was that:
// within a command a path is a path.
func attachPasted(m *Model, text string) (cmd tea.Cmd, ok bool) {
	if before := m.editor.text(); strings.HasPrefix(before, "/") || strings.HasPrefix(before, "!") || strings.HasSuffix(before, "@") {
		return nil, false
	}
	images := pastedImages(text, m.editor.paths)
	var cmds []tea.Cmd
	for _, path := range images {
		cmds = append(cmds, attachFile(m, path))
	}
	return tea.Batch(cmds...), len(images) > 0
}
