package permit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestNewestEntries(t *testing.T) {
	t.Parallel()
	a, data := writtenLog(t, 3)
	newest := func(most int) (said []string, more bool) {
		t.Helper()
		more, err := a.Newest(t.Context(), func(l Logged) bool {
			said = append(said, fmt.Sprint(l.N, " ", l.Summary))
			return len(said) < most
		})
		must(t, err)
		return said, more
	}
	if got, more := newest(10); strings.Join(got, ", ") != "3 entry 3, 2 entry 2, 1 entry 1" || more {
		t.Errorf("the newest are %q, more %v", got, more)
	}
	if got, more := newest(2); len(got) != 2 || more {
		t.Errorf("two of them are %q, more %v", got, more)
	}
	// A line that is being written, and one that somebody damaged, are left out.
	lines := strings.SplitAfter(string(data), "\n")
	must(t, os.WriteFile(a.path, []byte(lines[0]+"{\n"+lines[2]+lines[1][:40]), 0o600))
	if got, _ := newest(10); strings.Join(got, ", ") != "3 entry 3, 1 entry 1" {
		t.Errorf("of a damaged log the newest are %q", got)
	}
	// Only the end of a long log is read.
	must(t, os.WriteFile(a.path, []byte(strings.Repeat(lines[0], 2+MaxNewest/len(lines[0]))+lines[2]), 0o600))
	if got, more := newest(1 << 20); !more || got[0] != "3 entry 3" || len(got) > 1+MaxNewest/len(lines[0]) {
		t.Errorf("of a long log %d entries are read, more %v", len(got), more)
	}
	if more, err := newAudit(t).Newest(t.Context(), func(Logged) bool { t.Error("a log without lines has one"); return true }); more || err != nil {
		t.Errorf("a log that was never written: %v, %v", more, err)
	}
}
