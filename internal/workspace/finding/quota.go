package finding

import "sync/atomic"

// MaxReported is how many findings of one project are reported. A project of ten thousand
// deliverables with real flaws has half as many; one that was made to have millions
// of a few bytes each would fill the memory.
const MaxReported = 400_000

// Quota bounds the findings of one project. The zero value has room for [MaxReported];
// it is safe for concurrent use.
type Quota struct{ asked atomic.Int64 }

// Keep returns the first of all, as many as there is still room for.
func (q *Quota) Keep(all []Finding) []Finding {
	n := int64(len(all))
	over := q.asked.Add(n) - MaxReported
	return all[:n-min(max(over, 0), n)]
}

// Dropped is how many were left out.
func (q *Quota) Dropped() int { return int(max(q.asked.Load()-MaxReported, 0)) }
