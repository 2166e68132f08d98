package api

import (
	"bytes"
	"cmp"
	"math"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"belay/internal/workspace/scan"
	"belay/internal/workspace/view"
)

type treeAnswer struct {
	ProjectRoot string     `json:"projectRoot"`
	Depth       int        `json:"depth"`
	ScannedAt   string     `json:"scannedAt"`
	Root        *view.Node `json:"root"`
}

func getTree(c *call) (treeAnswer, error) {
	root, q, err := c.projectOf()
	if err != nil {
		return treeAnswer{}, err
	}
	p := params{q: q}
	o := view.TreeOptions{Depth: treeDepth(q["depth"]), Folder: inside(root, q["path"]), Hides: c.hides(root)}
	o.Offset, o.Limit = p.natural("offset"), p.limit(view.DefaultLimit, view.MaxLimit)
	if err := p.err(); err != nil {
		return treeAnswer{}, err
	}
	top, err := view.Tree(c.ctx(), root, o)
	return treeAnswer{root, o.Depth, scan.Moment(c.o.Clock()), top}, err
}

// treeDepth reads a depth as the original did: what is no number is the default,
// and every number finds a place in the range.
func treeDepth(s string) int {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return view.DefaultDepth
	}
	return int(min(max(math.Floor(n), 1), view.MaxDepth))
}

// inside is a path that a request names, relative to the project: clients have the
// absolute ones of a tree, too.
func inside(root, name string) string {
	if filepath.IsAbs(name) {
		if rel, err := filepath.Rel(root, filepath.Clean(name)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return name
}

func (h *Handler) hides(root string) func(string) bool {
	if h.o.Projects.Hides == nil {
		return nil
	}
	return func(rel string) bool { return h.o.Projects.Hides(root, rel) }
}

// serveFile sends a file as what a browser shows without running anything: text,
// a picture, or a download.
func serveFile(c *call) error {
	root, q, err := c.projectOf()
	if err != nil {
		return err
	}
	p := params{q: q}
	p.required("path")
	download := p.flag("download")
	if err := p.err(); err != nil {
		return err
	}
	limit := cmp.Or(c.o.Projects.ViewBytes, 8<<20)
	file, err := view.Open(root, inside(root, q["path"]), limit, c.hides(root))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	part, ranged, err := rangeOf(c.r, quoted(file.Tag), file.Size)
	if err != nil {
		c.w.Header().Set("Content-Range", "bytes */"+strconv.FormatInt(file.Size, 10))
		return err
	}
	head := c.w.Header()
	kind, harmless := shownAs(file.Data)
	head.Set("Content-Type", kind)
	if download || !harmless {
		head.Set("Content-Disposition", disposition(path.Base(file.Path)))
	}
	head["Cache-Control"] = headerRevalidate
	head.Set("Accept-Ranges", "bytes")
	head.Set("Belay-Size", strconv.FormatInt(file.Size, 10))
	size := file.Size
	if !ranged && !download && size > limit {
		size = limit
		head.Set("Belay-Truncated", "true")
	}
	if unchanged(c, quoted(file.Tag)) {
		return nil
	}
	if ranged {
		return sendPart(c, file, part)
	}
	return sendBytes(c, http.StatusOK, file.Part(0, size), size)
}

// shownAs is the content type of a file by its bytes, and whether a browser may
// show it. Everything that is text is plain text.
func shownAs(data []byte) (mediaType string, shown bool) {
	sniffed := http.DetectContentType(data)
	switch name, _, _ := strings.Cut(sniffed, ";"); name {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return name, true
	}
	if bytes.IndexByte(data, 0) < 0 && validUpTo(data) {
		return "text/plain; charset=utf-8", true
	}
	return "application/octet-stream", false
}

// validUpTo reports whether data is UTF-8, but for a character that is cut at its
// end.
func validUpTo(data []byte) bool {
	for range utf8.UTFMax {
		if utf8.Valid(data) {
			return true
		}
		if len(data) == 0 || utf8.RuneStart(data[len(data)-1]) && data[len(data)-1] < utf8.RuneSelf {
			return false
		}
		data = data[:len(data)-1]
	}
	return utf8.Valid(data)
}
