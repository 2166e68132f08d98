package register

import (
	"strings"
	"testing"

	"belay/internal/fault"
)

// TestSeparated: a register with another separator than commas has one column. No writer
// adds the others to its rows.
func TestSeparated(t *testing.T) {
	t.Parallel()
	good := string(put(t, Parse(nil), anchor("DEP-01-02-001")).Bytes())
	p := Parse([]byte(good))
	for mark, name := range map[string]string{";": "semicolons", "\t": "tabs", "|": "bars"} {
		base := Parse([]byte(strings.ReplaceAll(good, ",", mark)))
		_, _, put := base.Put([]map[string]string{aRow("DEP-01-02-002")}, host)
		_, _, apply := base.Apply(p, ProposalOptions{Host: host})
		for _, err := range []error{put, apply, base.Columned()} {
			if e := fault.From(err); e == nil || e.Type != fault.InvalidSchema || !strings.Contains(e.Message, "the header lacks DependencyID; is it separated by "+name+"?") ||
				e.Hint != "save the file as CSV with commas between the cells" {
				t.Errorf("%s: %v", name, err)
			}
		}
		after, changes, left := NewNumbering(host, nil).Renumber(base)
		if after != base || len(changes) > 0 || len(left) != 1 || !strings.Contains(left[0].Problem, "is it separated by "+name) {
			t.Errorf("%s: renumbered: %+v %+v", name, changes, left)
		}
	}
	for _, text := range []string{"", "\n\n", good} {
		if err := Parse([]byte(text)).Columned(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
