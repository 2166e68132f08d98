package finding

// Tally is how many findings there are of one code.
type Tally struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Count    int      `json:"count"`
}
