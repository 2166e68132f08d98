package cli

import (
	"fmt"
	"strings"

	"belay/internal/quantity"
	"belay/internal/session"
)

// changes prints the outcome of files, those that were not changed after all in one line.
func (p *transcript) changes(all []session.Change) {
	var unapplied []string
	shown := 0
	for _, change := range all {
		if change.Restored {
			unapplied = append(unapplied, change.Path)
			continue
		}
		if shown++; p.full || shown <= foldedFiles {
			p.c.write("  " + hang(changed(change), p.c.width, 4) + "\n")
		}
	}
	if more := shown - foldedFiles; more > 0 && !p.full {
		p.c.write("  … " + quantity.Count(more, "more file", "more files") + " (--full shows all)\n")
	}
	if len(unapplied) > 0 {
		which := "which a command may not change: "
		p.c.write("  " + hang("not applied to "+quantity.Count(len(unapplied), "file", "files")+", "+which+p.names(unapplied), p.c.width, 4) + "\n")
	}
}

// names are files in a sentence, the first of them or all.
func (p *transcript) names(paths []string) string {
	rest := ""
	if more := len(paths) - foldedFiles; more > 0 && !p.full {
		paths, rest = paths[:foldedFiles], fmt.Sprintf(" and %d more", more)
	}
	return line(strings.Join(paths, ", ")) + rest
}

// changed says the outcome of a file.
func changed(c session.Change) string {
	path := line(c.Path)
	switch {
	case c.AfterMode.IsDir():
		return "made the folder " + path
	case c.Before == "" && c.Lost == "":
		return "made " + path + ", " + quantity.Size(c.AfterBytes)
	case c.Removes():
		return "removed " + path
	}
	return "changed " + path + ", " + quantity.Size(c.AfterBytes)
}
