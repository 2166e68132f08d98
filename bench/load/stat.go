package load

import (
	"slices"
	"time"
)

// Percentile returns the value below which p percent of ds lie (nearest rank).
// It sorts ds; an empty ds gives 0.
func Percentile(ds []time.Duration, p float64) time.Duration {
	if len(ds) == 0 {
		return 0
	}
	slices.Sort(ds)
	rank := int(float64(len(ds))*p/100+0.9999999) - 1
	return ds[min(max(rank, 0), len(ds)-1)]
}
