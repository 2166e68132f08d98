package finding

// MaxReported is how many findings of one project are listed. Nobody reads more, and one that
// was made to have millions of a few bytes each would fill the memory. All are counted.
const MaxReported = 20_000

// Quota bounds the findings of one project. The zero value has room for [MaxReported].
type Quota struct{ asked int }

// Keep returns the first of all, as many as there is still room for.
func (q *Quota) Keep(all []Finding) []Finding {
	q.asked += len(all)
	return all[:len(all)-min(q.Dropped(), len(all))]
}

// Dropped is how many were left out.
func (q *Quota) Dropped() int { return max(q.asked-MaxReported, 0) }
