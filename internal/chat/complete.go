package chat

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// paths completes the names of files of this machine.
type paths struct {
	// folder is where relative paths begin.
	folder string
}

// maxListed bounds what is read of a folder for completion, maxOffers what is
// offered.
const (
	maxListed = 5000
	maxOffers = 50
)

// offers are the paths that begin as written does. Folders end with a slash; what
// is hidden is offered when asked for, belay's own folder never.
func (p *paths) offers(written string) []string {
	dir, base := "", written
	if i := strings.LastIndexByte(written, '/'); i >= 0 {
		dir, base = written[:i+1], written[i+1:]
	}
	at := p.resolve(dir)
	f, err := os.Open(at)
	if err != nil {
		return nil // there is nothing to offer
	}
	defer f.Close()                    // it was only read
	entries, _ := f.ReadDir(maxListed) // what could be read is offered
	var out []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") || name == ".belay" {
			continue
		}
		if name != clean(name) || strings.ContainsAny(name, "\n\"") {
			continue // it could not be typed
		}
		if info, err := os.Stat(filepath.Join(at, name)); err == nil && info.IsDir() {
			name += "/"
		}
		out = append(out, dir+name)
	}
	slices.Sort(out)
	return out[:min(len(out), maxOffers)]
}

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
func (p *paths) file(written string) bool {
	info, err := os.Stat(p.resolve(written))
	return err == nil && info.Mode().IsRegular()
}

// completions finds what the text before the cursor could become: stem stays, and
// each offer may follow it.
func completions(before string, p *paths) (stem string, offers []string) {
	if strings.HasPrefix(before, "/") && !strings.ContainsAny(before, " \n") {
		for _, c := range commands() {
			if strings.HasPrefix("/"+c.name, before) {
				offers = append(offers, "/"+c.name+" ")
			}
		}
		return "", offers
	}
	if rest, ok := strings.CutPrefix(before, "/attach "); ok {
		written := strings.TrimLeft(rest, " ")
		return before[:len(before)-len(written)], p.offers(written)
	}
	if rest, ok := strings.CutPrefix(before, "/mode "); ok {
		for _, m := range modes {
			if strings.HasPrefix(m, rest) {
				offers = append(offers, m)
			}
		}
		return "/mode ", offers
	}
	at := strings.LastIndexByte(before, '@')
	if at < 0 || at > 0 && !strings.ContainsRune(" \n\t(", rune(before[at-1])) {
		return "", nil
	}
	written := before[at+1:]
	if quoted, ok := strings.CutPrefix(written, `"`); ok {
		if strings.Contains(quoted, `"`) {
			return "", nil
		}
		return before[:at+2], p.offers(quoted)
	}
	if strings.ContainsAny(written, " \n\t") {
		return "", nil
	}
	stem = before[:at+1]
	offers = p.offers(written)
	if slices.ContainsFunc(offers, func(o string) bool { return strings.Contains(o, " ") }) {
		stem += `"`
	}
	return stem, offers
}

// commonPrefix is what all of the offers begin with.
func commonPrefix(offers []string) string {
	if len(offers) == 0 {
		return ""
	}
	p := offers[0]
	for _, o := range offers[1:] {
		for !strings.HasPrefix(o, p) {
			p = p[:len(p)-1]
		}
	}
	return strings.ToValidUTF8(p, "")
}

// mentioned are the files that a message names as @path or @"path with spaces".
// What names no file is a word like any other.
func mentioned(message string, p *paths) []string {
	var found []string
	for i := range len(message) {
		if message[i] != '@' || i > 0 && !strings.ContainsRune(" \n\t(", rune(message[i-1])) {
			continue
		}
		rest := message[i+1:]
		var name string
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			name, _, ok = strings.Cut(quoted, `"`)
			if !ok {
				continue
			}
		} else {
			name = rest
			if end := strings.IndexAny(rest, " \n\t"); end >= 0 {
				name = rest[:end]
			}
			if !p.file(name) {
				name = strings.TrimRight(name, ".,;:!?)") // the end of a sentence
			}
		}
		if name != "" && p.file(name) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}
