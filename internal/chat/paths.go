package chat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/blank"
	"belay/internal/render"
)

// paths knows the files of this machine that a person may name.
type paths struct {
	// folder is where relative paths begin.
	folder string
	// names are those below it.
	names *names
}

func newPaths(folder string) *paths { return &paths{folder, &names{folder: folder}} }

// maxListed bounds what is read of a folder for completion, listedAtOnce how much
// of it between two looks at whether anybody still waits.
const (
	maxListed    = 200_000
	listedAtOnce = 1000
)

// resolve is the path that was meant.
func (p *paths) resolve(written string) string {
	if rest, ok := strings.CutPrefix(written, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(written) {
		return filepath.Clean(written)
	}
	return filepath.Join(p.folder, filepath.FromSlash(written))
}

// resolveAll are the paths that were meant.
func (p *paths) resolveAll(written []string) []string {
	var at []string
	for _, f := range written {
		at = append(at, p.resolve(f))
	}
	return at
}

// attachable says why a path cannot be attached.
func (p *paths) attachable(written string) error {
	info, err := os.Stat(p.resolve(written))
	switch {
	case blank.Is(written):
		return errors.New("no file is named")
	case strings.HasPrefix(written, "http://"), strings.HasPrefix(written, "https://"):
		return fmt.Errorf("%s is an address; download it first, or name it with belay chat --attach", render.Line(written))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be read", render.Line(written))
	case err != nil:
		return fmt.Errorf("there is no file %s", render.Line(written))
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name the files in it", render.Line(written))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", render.Line(written))
	}
	return nil
}

// listed is what is in a folder and may be attached, or looked into.
type listed struct {
	name   string
	folder bool
}

// matching are the entries of the folder of a written path that its last part could
// become: those that begin with it or, where there are none, those that contain it,
// in whatever case. What is hidden is offered when asked for, belay's own folder
// never, and nothing that could not be typed.
func (p *paths) matching(ctx context.Context, dir, last string) (found []listed, prefix bool) {
	f, err := os.Open(p.resolve(dir))
	if err != nil {
		return nil, true // there is nothing to offer
	}
	defer f.Close() // it was only read
	var begin, contain []fs.DirEntry
	low := strings.ToLower(last)
	for n := 0; n < maxListed && ctx.Err() == nil; n += listedAtOnce {
		entries, err := f.ReadDir(listedAtOnce)
		for _, e := range entries {
			name := e.Name()
			switch {
			case name == ".belay", strings.HasPrefix(name, ".") && !strings.HasPrefix(last, "."), name != render.Clean(name), strings.ContainsAny(name, "\n\""):
			case strings.HasPrefix(name, last):
				begin = append(begin, e)
			case strings.Contains(strings.ToLower(name), low):
				contain = append(contain, e)
			}
		}
		if err != nil {
			break // the end; of what cannot be read, what could be is offered
		}
	}
	at := p.resolve(dir)
	if found = offered(at, begin); len(found) > 0 {
		return found, true
	}
	return offered(at, contain), false
}

// offered are those of the entries that lead to a folder or a regular file, by name.
func offered(dir string, entries []fs.DirEntry) []listed {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var out []listed
	links := 0
	for _, e := range entries {
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			if links++; links > listedAtOnce {
				continue // to follow them all could take for ever
			}
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			if err != nil {
				continue // it leads nowhere
			}
			mode = info.Mode()
		}
		if mode.IsDir() || mode.IsRegular() {
			out = append(out, listed{e.Name(), mode.IsDir()})
		}
	}
	return out
}

// mention is a place in a text that names a file: @path or @"path with blanks".
type mention struct {
	// at is where the path begins, after the @ and the quote.
	at     int
	path   string
	quoted bool
	// open is set where the text ends within it.
	open bool
}

// mentions are the places in a text that may name files, in their order. What stands
// in quotes is one, whatever is in it.
func mentions(text string) []mention {
	var found []mention
	for i := 0; i < len(text); i++ {
		if text[i] != '@' || i > 0 && !strings.ContainsRune(" \n\t(", rune(text[i-1])) {
			continue
		}
		m, ends := mention{at: i + 1}, " \n\t"
		if strings.HasPrefix(text[m.at:], `"`) {
			m.at, m.quoted, ends = i+2, true, "\"\n"
		}
		n := strings.IndexAny(text[m.at:], ends)
		if m.open = n < 0; m.open {
			n = len(text) - m.at
		}
		m.path = text[m.at : m.at+n]
		found = append(found, m)
		i = m.at + n - 1
		if m.quoted {
			i++ // what closes it opens nothing
		}
	}
	return found
}

// names is the file that a mention names, if it is one; else why not. What ends a
// sentence is no part of it, unless there is such a file.
func (m mention) names(p *paths) (string, error) {
	err := p.attachable(m.path)
	if short := strings.TrimRight(m.path, ".,;:!?)"); err != nil && !m.quoted && short != "" {
		return short, p.attachable(short)
	}
	return m.path, err
}

// mentioned are the files that a message names. What names no file is a word like
// any other.
func mentioned(message string, p *paths) []string {
	var found []string
	for _, m := range mentions(message) {
		if f, err := m.names(p); err == nil && m.path != "" && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}

// attachable reports whether a word ends like the files that models read.
func attachable(word string) bool {
	return slices.Contains(attachment.DefaultExtensions(), strings.ToLower(filepath.Ext(word)))
}

// missed says of what looks like a file that it is none.
func missed(message string, p *paths) []string {
	var out []string
	for _, m := range mentions(message) {
		f, err := m.names(p)
		if err != nil && m.path != "" && (m.quoted || strings.Contains(f, "/") || attachable(f)) {
			out = append(out, err.Error()+"; it went as words")
		}
	}
	return out
}
