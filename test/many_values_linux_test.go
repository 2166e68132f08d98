package test

import (
	"fmt"
	"strings"
	"testing"
)

// A body of very many small values, all of them valid, is refused before anything is made of
// them: each would take many times its bytes.
func TestBodiesOfManyValues(t *testing.T) {
	t.Parallel()
	const most = 300 << 10 // KiB
	const small, wide = 4 << 20, 32 << 20
	fill := func(size int, before, item, after string) string {
		n := (size - len(before) - len(after) - len(item)) / (len(item) + 1)
		return before + strings.Repeat(item+",", n) + item + after
	}
	members := func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size-100; i++ {
			fmt.Fprintf(&b, `"%x":"",`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		says                     string
	}{
		{"texts", "POST", "/api/harness/attachments/inspect", fill(290<<10, `{"attachments":[`, `""`, `]}`), 400, "attachments must have at most 10000 entries"},
		{"members", "POST", "/api/harness/attachments/inspect", `{` + members(small) + `}`, 413, "an object of too many members, more than 10000"},
		{"metadata", "POST", "/api/working-root/deliverable/status/transition", `{"metadata":{` + members(small-20) + `}}`, 413, "an object of too many members, more than 10000"},
		{"objects", "POST", "/api/workflow/run", fill(small, `{"input":{"a":[`, `{}`, `]}}`), 413, "an array of too many items, more than 100000"},
		{"lists of objects", "POST", "/api/workflow/run", fill(small, `{"input":{"a":[`, `[{},{},{},{},{},{}]`, `]}}`), 413, "more than"},
		{"rows", "PUT", "/api/working-root/deliverable/dependencies", fill(wide, `{"rows":[`, `{}`, `]}`), 413, "an array of too many items, more than 100000"},
		{"columns", "PUT", "/api/working-root/deliverable/dependencies", `{"rows":[{` + members(wide-20) + `}]}`, 413, "an object of too many members, more than 10000"},
		{"cells", "PUT", "/api/working-root/deliverable/dependencies", fill(wide, `{"rows":[`, `{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":"","j":"","k":"","l":"","m":"","n":""`+
			`,"o":"","p":"","q":"","r":"","s":"","t":"","u":"","v":"","w":"","x":"","y":"","z":"","aa":"","bb":"","cc":"","dd":"","ee":"","ff":"","gg":"","hh":"","ii":"","jj":"","kk":""}`, `]}`), 413, "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newPlace(t).serve()
			status, answer := s.do(c.method, c.path, c.body)
			if status != c.status || !strings.Contains(answer, c.says) {
				t.Errorf("%d bytes: %d %s", len(c.body), status, clip(answer))
			}
			if used := peakOf(t, s.cmd.Process.Pid); used > most && used > ownMost(t) {
				t.Errorf("the server took %d KiB", used)
			} else {
				t.Logf("the server took %d MiB", used>>10)
			}
		})
	}
}
