package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// limit is what every bounded quantity has in common: smaller is stricter, and
// where zero means no limit, it is the loosest.
type limit[T int | int64 | float64 | time.Duration] struct {
	p        *T
	min, max T
	// none says that 0 is allowed and means no limit.
	none bool
	form form[T]
}

// form is how one sort of quantity is written.
type form[T any] struct {
	parse  func(string) (T, error)
	format func(T) string
	kind   kind
}

func (v limit[T]) set(s, _ string) error {
	n, err := v.form.parse(strings.TrimSpace(s))
	if err != nil {
		return err
	}
	if v.none && n == 0 {
		*v.p = 0
		return nil
	}
	if n < v.min || n > v.max {
		return fmt.Errorf("%s is not between %s and %s", v.form.format(n), v.form.format(v.min), v.form.format(v.max))
	}
	*v.p = n
	return nil
}

func (v limit[T]) tighten(o value) bool {
	other := *o.(limit[T]).p
	if v.none && other == 0 || !(v.none && *v.p == 0) && other >= *v.p {
		return false
	}
	*v.p = other
	return true
}

func (v limit[T]) kind() kind { return v.form.kind }

func (v limit[T]) String() string { return v.form.format(*v.p) }

func (v limit[T]) schema() map[string]any {
	least := v.min
	if v.none {
		least = 0
	}
	switch v.form.kind {
	case scalarInt | scalarString:
		if _, ok := any(v.min).(time.Duration); ok {
			return map[string]any{"type": []string{"string", "integer"}, "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$|^[0-9]+d$|^0$`, "maximum": 0}
		}
		return map[string]any{"type": []string{"string", "integer"}, "pattern": `^[0-9.]+ ?([kKmMgGtT]i?)?[bB]?$`, "minimum": least, "maximum": v.max}
	case scalarInt:
		return map[string]any{"type": "integer", "minimum": least, "maximum": v.max}
	}
	return map[string]any{"type": "number", "minimum": least, "maximum": v.max}
}

var sizeForm = form[int64]{ParseSize, FormatSize, scalarInt | scalarString}

var durationForm = form[time.Duration]{ParseDuration, FormatDuration, scalarInt | scalarString}

func whole[T int | int64]() form[T] {
	return form[T]{
		parse: func(s string) (T, error) {
			n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 0)
			if err != nil {
				return 0, errors.New("is not a whole number")
			}
			return T(n), nil
		},
		format: func(n T) string { return strconv.FormatInt(int64(n), 10) },
		kind:   scalarInt,
	}
}

var moneyForm = form[float64]{
	parse: func(s string) (float64, error) {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return 0, errors.New("is not a number")
		}
		return n, nil
	},
	format: func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) },
	kind:   scalarFloat | scalarInt,
}
