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
)

// paths knows the files of this machine that a person may name.
type paths struct {
	// folder is where relative paths begin.
	folder string
}

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

// file reports whether a path names a regular file.
func (p *paths) file(written string) bool { return p.attachable(written) == nil }

// attachable says why a path can not be attached.
func (p *paths) attachable(written string) error {
	info, err := os.Stat(p.resolve(written))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be read", oneLine(written))
	case err != nil:
		return fmt.Errorf("there is no file %s", oneLine(written))
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name the files in it", oneLine(written))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", oneLine(written))
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
			case name == ".belay", strings.HasPrefix(name, ".") && !strings.HasPrefix(last, "."), name != clean(name), strings.ContainsAny(name, "\n\""):
			case strings.HasPrefix(name, last):
				begin = append(begin, e)
			case strings.Contains(strings.ToLower(name), low):
				contain = append(contain, e)
			}
		}
		if err != nil {
			break // the end; of what can not be read, what could be is offered
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

// mention is a file that a message names as @path or @"path with blanks".
type mention struct {
	path string
	// meant is set where it can hardly be anything but a path.
	meant bool
}

// mentions are the files that a message names, and what looks like one.
func mentions(message string, p *paths) []mention {
	var found []mention
	for i := range len(message) {
		if message[i] != '@' || i > 0 && !strings.ContainsRune(" \n\t(", rune(message[i-1])) {
			continue
		}
		m := mention{}
		if quoted, ok := strings.CutPrefix(message[i+1:], `"`); ok {
			m.path, _, m.meant = strings.Cut(quoted, `"`)
			if !m.meant { // the quote is not closed
				m.path, _, _ = strings.Cut(quoted, "\n")
				m.meant = true
			}
		} else {
			m.path = message[i+1:]
			if end := strings.IndexAny(m.path, " \n\t"); end >= 0 {
				m.path = m.path[:end]
			}
			if !p.file(m.path) {
				m.path = strings.TrimRight(m.path, ".,;:!?)") // the end of a sentence
			}
			m.meant = strings.Contains(m.path, "/")
		}
		if m.path != "" && !slices.Contains(found, m) {
			found = append(found, m)
		}
	}
	return found
}

// mentioned are the files that a message names. What names no file is a word like
// any other.
func mentioned(message string, p *paths) []string {
	var found []string
	for _, m := range mentions(message, p) {
		if p.file(m.path) && !slices.Contains(found, m.path) {
			found = append(found, m.path)
		}
	}
	return found
}

// missed says of what looks like a file that it is none.
func missed(message string, p *paths) []string {
	var out []string
	for _, m := range mentions(message, p) {
		if err := p.attachable(m.path); err != nil && m.meant {
			out = append(out, err.Error()+"; it went as words")
		}
	}
	return out
}
