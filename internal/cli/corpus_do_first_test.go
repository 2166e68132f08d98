package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"belay/internal/workspace/validate"
)

// The commands that "do first" names for a real project run, and leave fewer findings.
func TestCorpusDoFirst(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	named := regexp.MustCompile(`(?m)^  belay (.*) \(for ([0-9]+) of [0-9]+ findings\)$`)
	for _, name := range []string{"chirality-app", "psb-6a", "proposal-6b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			belay := func(args ...string) string {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "belay", args...)
				cmd.Dir = home
				cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
				var problems strings.Builder
				cmd.Stderr = &problems
				out, err := cmd.Output()
				if cmd.ProcessState.ExitCode() > ExitFailed {
					t.Fatalf("belay %q: %v\n%s", args, err, problems.String())
				}
				return string(out)
			}
			count := func() int {
				t.Helper()
				var report validate.Report
				if err := json.Unmarshal([]byte(belay("project", "validate", "--project", "p", "--json")), &report); err != nil {
					t.Fatal(err)
				}
				return report.Summary.Errors + report.Summary.Warnings
			}
			whole := filepath.Join(home, "p")
			if err := os.CopyFS(whole, os.DirFS(filepath.Join(corpora, name))); err != nil {
				t.Fatal(err)
			}
			all := named.FindAllStringSubmatch(belay("project", "validate", "--project", "p"), -1)
			last := 1 << 30
			for _, m := range all {
				n, _ := strconv.Atoi(m[2]) // digits
				if n > last {
					t.Errorf("%s stands behind a command for %d", m[0], last)
				}
				last = n
			}
			before := count()
			for _, m := range all {
				belay(strings.Fields(m[1])...)
			}
			if after := count(); len(all) < 2 || after >= before {
				t.Errorf("%d commands were named; of %d findings %d are left", len(all), before, after)
			}
		})
	}
}
