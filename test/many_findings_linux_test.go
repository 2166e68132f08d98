package test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A report on a project with more than 200,000 findings lists the first of them and counts all: in
// each form, and for a client, the process needs little more memory than for a few findings.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	const folders, rows, most = 400, 60, 150 << 10 // KiB
	p := newPlace(t)
	header, _, _ := strings.Cut(surveyRegister, "\n")
	row := "v9,DEP-X,PKG-01,DEL-99-99" + strings.Repeat(",x", strings.Count(header, ",")-3) + "\n"
	for i := range folders {
		folder := fmt.Sprintf("PKG-%02d_A/1_Working/DEL-%02d-%02d_x", i/90+1, i/90+1, i%90+1)
		must(t, os.MkdirAll(filepath.Join(p.project, folder), 0o755))
		p.file(folder+"/_STATUS.md", "**Current State:** OPEN\n")
		p.file(folder+"/Dependencies.csv", strings.TrimRight(header, "\r")+"\n"+strings.Repeat(row, rows))
	}
	forms := map[string]string{"--json": `"code": "`, "--sarif": `"ruleIndex": `, "--all": "  PKG-"}
	for form, sign := range forms {
		for _, args := range [][]string{{"deps", "lint", form}, {"project", "validate", form}} {
			cmd := p.command(args...)
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			n := countIn(t, out, sign)
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
				t.Fatalf("%s: %v", args, err)
			}
			if n < 19_000 || n > 20_000+folders+rows {
				t.Errorf("%s: %d findings", args, n)
			}
			used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			if !ok || used.Maxrss > most && used.Maxrss > ownMost(t) {
				t.Errorf("%s took %d KiB", args, used.Maxrss)
			}
		}
	}
	s := p.serve()
	for _, path := range []string{"/api/project/validate", "/api/project/lint"} {
		for _, coding := range []string{"gzip", "identity"} {
			res := s.open(t.Context(), http.MethodGet, path+"?projectRoot="+p.project, "", "Accept-Encoding", coding)
			size, err := io.Copy(io.Discard, res.Body)
			if must(t, err); res.StatusCode != http.StatusOK || size < 100<<10 {
				t.Errorf("%s: status %d, %d bytes", path, res.StatusCode, size)
			}
			must(t, res.Body.Close())
		}
	}
	if used := peakOf(t, s.cmd.Process.Pid); used > most && used > ownMost(t) {
		t.Errorf("the server took %d KiB", used)
	}
}

// countIn counts a sign in what comes, which is not kept.
func countIn(t *testing.T, r io.Reader, sign string) (n int) {
	t.Helper()
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		n += strings.Count(lines.Text(), sign)
	}
	must(t, lines.Err())
	return n
}

// peakOf is the most memory that a process had, in KiB.
func peakOf(t *testing.T, pid int) int64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	must(t, err)
	return kib
}
