// Package quantity writes sizes, counts and durations as people read them. Every surface of
// the program uses it.
package quantity

import (
	"fmt"
	"strconv"
	"time"
)

// Count is a number with its noun, of which it takes the right form.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Size is a number of bytes in the binary units in which the limits of the program are given.
func Size(n int64) string {
	unit, name := int64(1), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n < unit<<10 {
			break
		}
		unit, name = unit<<10, next
	}
	return tenths(float64(n)/float64(unit)) + " " + name
}

// Duration is a time that something took or may take. A negative one counts as none: the clock
// was set back.
func Duration(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d == 0:
		return "0 s"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return tenths(d.Seconds()) + " s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// tenths is a number with a digit after the point, where that is not 0.
func tenths(v float64) string {
	text := strconv.FormatFloat(v, 'f', 1, 64)
	if whole := len(text) - len(".0"); text[whole:] == ".0" {
		return text[:whole]
	}
	return text
}
