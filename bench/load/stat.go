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

// Median returns the middle of values, the mean of the two middle ones of an
// even number. An empty list gives 0.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}
