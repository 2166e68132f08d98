package finding

// Tally is how many findings there are of one code.
type Tally struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Count    int      `json:"count"`
}

// Tallies counts findings by code, errors first, the most frequent ones before
// others.
func Tallies(all []Finding) []Tally {
	d := NewDigest(1)
	d.Add(all)
	return d.Tallies()
}
