package main

import (
	"strings"

	"belay/internal/permit/review"
)

// risks lists the files that make programs run.
func risks(string) ([]byte, error) {
	d := newDoc("Files that make programs run", `An agent can change a file that a program runs or obeys later. belay looks for such files in all that a command, `+"`write`"+`
or `+"`edit`"+` changes. It puts each change in one of four classes:

- **Left out**: protected files, `+"`.belay`"+`, devices, pipes, set-id bits, and links that lead out of the project. Such a change is never
  applied, and the result of the call names it.
- **Runs by itself**: the first table. Such a change is asked about in every mode, in a question without other files. No
  answer for the session covers it.
- **Runs when you ask for it**: the second table. Such a change is ordinary, and the question marks it.
- **Ordinary**: all other files. The [mode and the rules](decisions.md#what-a-command-changed) decide.

A name counts in any folder and in any case of letters. The name of a folder stands for everything in it. Mostly only a
change counts that leaves a file there; *removed* marks files whose removal counts too. Inside installed packages
(`+"`node_modules`, `.venv`"+`) only the rows count that are marked *installed*.`)
	for _, risk := range []review.Risk{review.Automatic, review.OnRequest} {
		about := risk.String()
		d.heading(strings.ToUpper(about[:1]) + about[1:])
		d.table("file", "it", "also counts")
		named, described := review.Table()
		for _, r := range named {
			if r.Risk == risk {
				d.row(codes(strings.Fields(r.Files)), r.Reason, alsoCounts(r))
			}
		}
		for _, r := range described {
			if r.Risk == risk {
				d.row(r.Files, r.Reason, alsoCounts(r))
			}
		}
	}
	return d.Bytes(), nil
}

// alsoCounts says where else a row counts.
func alsoCounts(r review.Row) string {
	var also []string
	if r.Removal {
		also = append(also, "removed")
	}
	if r.Dependencies {
		also = append(also, "installed")
	}
	return strings.Join(also, ", ")
}
