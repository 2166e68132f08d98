package layout

import (
	"cmp"
	"strconv"
	"strings"
	"testing"
)

// FuzzSnapshotTime checks that snapshots sort as they were published.
func FuzzSnapshotTime(f *testing.F) {
	f.Add("EST", "2026-01-02", "1200", uint16(2), uint16(10))
	f.Fuzz(func(t *testing.T, label, date, clock string, n, m uint16) {
		name := func(n uint16) string {
			s := label + "_" + date + "_" + clock
			if n > 1 {
				s += "_" + strconv.Itoa(int(n))
			}
			return s
		}
		if !IsSnapshot(label+"_"+date+"_"+clock) || strings.Contains(label+date+clock, "_") {
			return
		}
		n, m = max(n, 1), max(m, 1)
		if got := CompareSnapshots(name(n), name(m)); got != cmp.Compare(n, m) {
			t.Errorf("%s and %s: %d", name(n), name(m), got)
		}
	})
}
