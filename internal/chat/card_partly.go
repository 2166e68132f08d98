package chat

import (
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/tool"
)

// applied are the files of a question that count, and how many of them do not: a person may
// allow only some of what a command changed. It is nil where all of them count, and before
// the result says which do.
func (a *asked) applied(result *event.ToolOutcome) (files []string, dropped int) {
	if result == nil || !result.OK || a.effect == nil || a.effect.Done == nil || a.verdict == nil || a.denied() {
		return nil, 0
	}
	for _, p := range a.effect.Paths {
		within := func(changed string) bool { return changed == p || strings.HasPrefix(changed, p+"/") }
		if slices.ContainsFunc(result.Changed, within) {
			files = append(files, p)
		}
	}
	if dropped = len(a.effect.Paths) - len(files); dropped == 0 || len(files) == 0 {
		return nil, 0
	}
	return files, dropped
}

// partly says that only some files were allowed.
func partly(v *event.Verdict, files []string, dropped int) string {
	words := "allowed only " + namedFiles(files) + "; " + quantity.Count(dropped, "file", "files") + " dropped"
	if rest := strings.TrimPrefix(render.Verdict(v), "allowed"); rest != "" {
		words += "," + rest
	}
	return words
}

// shownDiff is the diff of a question without the files that do not count.
func (a *asked) shownDiff(result *event.ToolOutcome) string {
	files, _ := a.applied(result)
	if files == nil {
		return a.effect.Diff
	}
	var shown strings.Builder
	lines := strings.SplitAfter(a.effect.Diff, "\n")
	counts := false
	for i, s := range lines {
		for _, p := range a.effect.Paths {
			if startsFile(lines[i:], tool.Printable(p)) {
				counts = slices.Contains(files, p)
			}
		}
		if counts {
			shown.WriteString(s)
		}
	}
	return shown.String()
}

// startsFile reports whether the changes of a file begin in the first of these lines of a diff:
// with two lines that name it, or with one that says what cannot be shown.
func startsFile(lines []string, file string) bool {
	if strings.HasPrefix(lines[0], file+": ") {
		return true
	}
	if len(lines) < 2 || !strings.HasPrefix(lines[0], "--- ") || !strings.HasPrefix(lines[1], "+++ ") {
		return false
	}
	return lines[0] == "--- a/"+file+"\n" || lines[1] == "+++ b/"+file+"\n"
}
