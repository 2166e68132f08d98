package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A register of as many rows as one may have is read, and taken back as it is: rows that are
// sent back change no byte. With one more it is refused.
func TestLargestRegister(t *testing.T) {
	t.Parallel()
	const most = 100_000
	p := newPlace(t)
	folder := filepath.Join(p.project, "PKG-01_Site", "1_Working", "DEL-01-01_Plan")
	must(t, os.MkdirAll(folder, 0o755))
	var text strings.Builder
	text.WriteString("RegisterSchemaVersion,DependencyID,Status,Notes\n")
	for i := range most {
		fmt.Fprintf(&text, "v3.1,DEP-01-01-%06d,ACTIVE,\n", i)
	}
	file := filepath.Join(folder, "Dependencies.csv")
	must(t, os.WriteFile(file, []byte(text.String()), 0o644))
	s := p.serve()
	const path = "/api/working-root/deliverable/dependencies"
	status, answer := s.do("GET", path+"?projectRoot="+p.project+"&deliverablePath="+folder, "")
	var register struct{ Rows []map[string]string }
	if err := json.Unmarshal([]byte(answer), &register); err != nil || status != 200 || len(register.Rows) != most {
		t.Fatalf("%d, %d rows, %v: %s", status, len(register.Rows), err, clip(answer))
	}
	write := func() (int, string) {
		return s.do("PUT", path, jsonOf(map[string]any{"projectRoot": p.project, "deliverablePath": folder, "rows": register.Rows}))
	}
	if status, answer := write(); status != 200 {
		t.Errorf("%d rows: %d %s", most, status, clip(answer))
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != text.String() {
		t.Errorf("the register has %d bytes, want %d: %v", len(data), text.Len(), err)
	}
	register.Rows = append(register.Rows, register.Rows[0])
	if status, answer := write(); status != 413 || !strings.Contains(answer, "an array of too many items, more than 100000") {
		t.Errorf("%d rows: %d %s", most+1, status, clip(answer))
	}
	if used := peakOf(t, s.cmd.Process.Pid); used > 400<<10 && used > ownMost(t) {
		t.Errorf("the server took %d KiB", used)
	}
}
