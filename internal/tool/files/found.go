package files

import (
	"path"
	"strings"
)

// Cut says which bound ended a search.
type Cut string

// The bounds that end a search.
const (
	CutMatches Cut = "matches"
	CutFiles   Cut = "files"
	CutBytes   Cut = "bytes"
	CutTime    Cut = "time"
)

// Found is what a search found, in the order of the paths.
type Found struct {
	Files []FoundFile
	// Cut is the bound that ended the search, "" where it looked at everything.
	Cut Cut
	// Searched is how many files were looked at, Skipped how many folders could not be opened.
	Searched int64
	Skipped  int
}

// FoundFile is a file with a match. Path is relative to the project, with slashes.
type FoundFile struct {
	Path string
	// Lines are those that match, at most [LinesPerFile]; of a search by name it is the path.
	Lines []FoundLine
	// Count is how many lines match. A search that ended early may not have counted all.
	Count int
}

// FoundLine is a line around its first match. Long lines are cut around it.
type FoundLine struct {
	// Number counts from 1; it is 0 for a path.
	Number               int
	Before, Match, After string
}

// take keeps the first matches.
func (r *Found) take(files []FoundFile, most int) {
	for _, f := range files {
		if most <= 0 {
			r.Cut = CutMatches
			return
		}
		if len(f.Lines) > most {
			f.Lines, r.Cut = f.Lines[:most], CutMatches
		}
		most -= len(f.Lines)
		r.Files = append(r.Files, f)
	}
}

// byName matches the name of a file, or its path where the query has a slash.
func byName(m *matcher, at string) (FoundFile, int) {
	dir, name := path.Split(at)
	line, ok := splitAt(m, name)
	if !ok && dir != "" {
		if line, ok = splitAt(m, at); ok && !strings.Contains(line.Match, "/") {
			ok = false // the name of a folder alone would list all that is in it
		}
		dir = ""
	}
	if !ok {
		return FoundFile{}, 0
	}
	line.Before = dir + line.Before
	return FoundFile{Path: at, Lines: []FoundLine{line}, Count: 1}, 1
}

// splitAt cuts a text around its first match, and reports whether there is one.
func splitAt(m *matcher, text string) (FoundLine, bool) {
	loc := m.re.FindStringIndex(text)
	if loc == nil {
		return FoundLine{Before: text}, false
	}
	return FoundLine{Before: text[:loc[0]], Match: text[loc[0]:loc[1]], After: text[loc[1]:]}, true
}

// split is a line of a file. One that was cut may have lost what an anchor stands for: then
// nothing in it is marked.
func split(m *matcher, text string, number int) FoundLine {
	line, ok := splitAt(m, text)
	if !ok {
		line = FoundLine{Before: text}
	}
	line.Number = number
	return line
}
