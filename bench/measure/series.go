package measure

import (
	"context"
	"fmt"
	"slices"
)

// Series are the values of the rounds of one figure.
type Series struct{ Bare, Belay []float64 }

// Add adds the value of a round.
func (s *Series) Add(bare bool, v float64) {
	if bare {
		s.Bare = append(s.Bare, v)
	} else {
		s.Belay = append(s.Belay, v)
	}
}

// AddBoth adds a value of each side.
func (s *Series) AddBoth(bare, belay float64) {
	s.Add(true, bare)
	s.Add(false, belay)
}

// Medians are those of both sides, nil where a side has no value.
func (s *Series) Medians() (bare, belay *float64) { return medianOf(s.Bare), medianOf(s.Belay) }

// Figure is the figure of the rounds' medians.
func (s *Series) Figure(row, what, unit string, t *Target) Figure {
	f := Figure{Row: row, What: what, Unit: unit, Target: t}
	f.Bare, f.Belay = s.Medians()
	return f
}

func medianOf(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := Median(values)
	return &m
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

// Rounds has the two sides take turns n times, the bare one first, so that a disturbance
// of the machine meets both.
func Rounds(ctx context.Context, n int, one func(bare bool) error) error {
	for range n {
		for _, bare := range []bool{true, false} {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := one(bare); err != nil {
				return fmt.Errorf("%s: %w", SideName(bare), err)
			}
		}
	}
	return nil
}

// SideName names a side in errors.
func SideName(bare bool) string {
	if bare {
		return "bare side"
	}
	return "belay"
}
