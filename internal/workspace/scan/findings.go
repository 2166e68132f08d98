package scan

import "belay/internal/workspace/finding"

// maxFindings bounds what is reported of a root in which everything is wrong.
const maxFindings = 20_000

// firstFindings keeps the first findings by path and counts the others. Those that are
// kept do not depend on which goroutine found what, so two looks at one root agree.
type firstFindings struct {
	all  []finding.Finding
	more int
}

func (f *firstFindings) add(found finding.Finding) {
	if f.all = append(f.all, found); len(f.all) == 2*maxFindings {
		f.cut()
	}
}

// cut sorts them and leaves out what is too much.
func (f *firstFindings) cut() {
	finding.Sort(f.all)
	if over := len(f.all) - maxFindings; over > 0 {
		clear(f.all[maxFindings:])
		f.all, f.more = f.all[:maxFindings], f.more+over
	}
}
