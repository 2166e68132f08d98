package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A report for programs on a project with more than 200,000 findings is written as it is
// made: the process needs no more memory than that on a few of them.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	const folders, rows, most = 400, 60, 192 << 10 // KiB
	p := newPlace(t)
	header, _, _ := strings.Cut(surveyRegister, "\n")
	row := "v9,DEP-X,PKG-01,DEL-99-99" + strings.Repeat(",x", strings.Count(header, ",")-3) + "\n"
	for i := range folders {
		folder := fmt.Sprintf("PKG-%02d_A/1_Working/DEL-%02d-%02d_x", i/90+1, i/90+1, i%90+1)
		must(t, os.MkdirAll(filepath.Join(p.project, folder), 0o755))
		p.file(folder+"/_STATUS.md", "**Current State:** OPEN\n")
		p.file(folder+"/Dependencies.csv", strings.TrimRight(header, "\r")+"\n"+strings.Repeat(row, rows))
	}
	for _, args := range [][]string{{"deps", "lint", "--json", "."}, {"project", "validate", "--json", "."}} {
		cmd := p.command(args...)
		out, err := cmd.Output()
		if cmd.ProcessState.ExitCode() != 1 {
			t.Fatalf("%s: %v", args, err)
		}
		if n := strings.Count(string(out), `"code": "`); n < 200_000 {
			t.Errorf("%s: %d findings", args, n)
		}
		used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok || used.Maxrss > most && used.Maxrss > ownMost(t) {
			t.Errorf("%s took %d KiB", args, used.Maxrss)
		}
	}
}
