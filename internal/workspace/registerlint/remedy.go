package registerlint

import (
	"slices"
	"sync"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
)

// The commands that remove findings of registers and of their summaries.
var (
	renumber  = finding.Remedy{Command: "deps renumber"}
	summarize = finding.Remedy{Command: "deps summary"}
)

// renumbered are the codes of what deps renumber is for.
var renumbered = []string{"INVALID_DEPENDENCY_ID_FORMAT", "INVALID_FROM_DELIVERABLE_ID", "INVALID_TARGET_DELIVERABLE_ID"}

// Renumbering knows which findings deps renumber would remove from the registers of a
// project. It is safe for concurrent use.
type Renumbering struct{ meant func() register.Meanings }

// NewRenumbering knows those of the project that a scan found.
func NewRenumbering(found *scan.Result) Renumbering {
	return Renumbering{sync.OnceValue(func() register.Meanings {
		meant := register.NewMeanings()
		for _, f := range found.Deliverables {
			meant.Add(f.ID, f.Name)
		}
		return meant
	})}
}

// Mark gives the findings of a register that would be gone the command as their remedy:
// host's register is renumbered in memory, and judged again. Of several findings with one
// code as many have the remedy as would be gone.
func (n Renumbering) Mark(found []finding.Finding, host string, r *register.Register, judge func(*register.Register) []finding.Finding) {
	if !slices.ContainsFunc(found, func(f finding.Finding) bool { return slices.Contains(renumbered, f.Code) }) {
		return
	}
	after, changes, _ := register.NewNumbering(host, n.meant().Of).Renumber(r)
	if len(changes) > 0 {
		mark(found, judge(after), renumber)
	}
}

// mark gives as many findings of each code the remedy as are not left.
func mark(found, left []finding.Finding, by finding.Remedy) {
	remain := map[string]int{}
	for _, f := range left {
		remain[f.Code]++
	}
	for i := range found {
		if remain[found[i].Code]--; remain[found[i].Code] < 0 {
			found[i].Remedy = by
		}
	}
}

// CheckSummary is [register.Summary.Check] of the content of a _DEPENDENCIES.md. Those
// findings that would be gone if the summary were made anew have the command for it as
// their remedy. Where a number is wrong, it is made anew in memory, as the number may
// stand where the command does not write; of several findings with one code as many
// have the remedy as would be gone. R is the register, nil for none.
func CheckSummary(path, host string, text []byte, r *register.Register, today string) []finding.Finding {
	s := register.ParseSummary(text)
	found := s.Check(path, host, r)
	if r == nil || !s.Text() {
		return found
	}
	if !slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == "DEPENDENCIES_COUNT" }) {
		for i := range found {
			if f := &found[i]; f.Code == "DEPENDENCIES_ROW_MISSING" || f.Code == "DEPENDENCIES_NOT_WRITTEN" {
				f.Remedy = summarize
			}
		}
		return found
	}
	s.Replace(r, today)
	mark(found, s.Check(path, host, r), summarize)
	return found
}
