package registerlint

import (
	"slices"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/register"
)

// The commands that remove findings of registers and of their summaries.
var (
	renumber  = finding.Remedy{Command: "deps renumber"}
	summarize = finding.Remedy{Command: "deps summary"}
)

// labelledID is an id of a deliverable with something after it.
var labelledID = lazyregexp.New(`^DEL-[0-9]{2,3}-[0-9]{2}([^0-9-]|$)`)

// isPlain reports whether what a target means needs no guess: it is one id with
// something after it that names no other deliverable.
func isPlain(target string) bool {
	target = strings.ToUpper(target)
	return labelledID.MatchString(target) && strings.Count(target, "DEL-") == 1
}

// Remedy is the command that removes a finding of a register, the zero value where
// none does for certain.
func Remedy(f *finding.Finding) finding.Remedy {
	switch f.Code {
	case "INVALID_DEPENDENCY_ID_FORMAT", "INVALID_FROM_DELIVERABLE_ID":
		return renumber
	case "INVALID_TARGET_DELIVERABLE_ID":
		if isPlain(f.Value) {
			return renumber
		}
	}
	return finding.Remedy{}
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
	left := map[string]int{}
	for _, f := range s.Check(path, host, r) {
		left[f.Code]++
	}
	for i := range found {
		if left[found[i].Code]--; left[found[i].Code] < 0 {
			found[i].Remedy = summarize
		}
	}
	return found
}
