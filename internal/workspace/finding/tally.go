package finding

import (
	"cmp"
	"slices"
)

// Tally is how many findings there are of one code.
type Tally struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Count    int      `json:"count"`
}

// Tallies counts findings by code, errors first, the most frequent ones before
// others.
func Tallies(all []Finding) []Tally {
	at := map[string]int{}
	tallies := []Tally{}
	for _, f := range all {
		i, ok := at[f.Code]
		if !ok {
			i = len(tallies)
			at[f.Code] = i
			tallies = append(tallies, Tally{Code: f.Code, Severity: f.Severity})
		}
		tallies[i].Count++
		if f.Severity == Error {
			tallies[i].Severity = Error
		}
	}
	sortTallies(tallies)
	return tallies
}

func sortTallies(all []Tally) {
	slices.SortFunc(all, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
}
