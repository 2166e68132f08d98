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

// What "do first" names for a real project removes at least as many findings as is said, counted
// by file and code, and is then not said again.
func TestCorpusDoFirst(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	promise := regexp.MustCompile(`(?m)^  belay (.*) \(removes at least ([0-9]+) of [0-9]+ findings\)$`)
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
			counts := func(root string) map[string]int {
				t.Helper()
				var report validate.Report
				if err := json.Unmarshal([]byte(belay("project", "validate", "--project", root, "--json")), &report); err != nil {
					t.Fatal(err)
				}
				n := map[string]int{}
				for _, f := range report.Findings {
					n[f.Path+" "+f.Code]++
				}
				return n
			}
			whole := filepath.Join(home, "p")
			if err := os.CopyFS(whole, os.DirFS(filepath.Join(corpora, name))); err != nil {
				t.Fatal(err)
			}
			said := map[string]bool{}
			for {
				all := promise.FindAllStringSubmatch(belay("project", "validate", "--project", "p"), -1)
				if len(all) == 0 {
					break
				}
				last := 1 << 30
				for _, m := range all {
					n, _ := strconv.Atoi(m[2]) // digits
					if n > last {
						t.Errorf("%s stands behind a command that removes %d", m[0], last)
					}
					last = n
				}
				command := all[0][1]
				if said[command] {
					t.Fatalf("belay %s is said again", command)
				}
				said[command] = true
				promised, _ := strconv.Atoi(all[0][2]) // digits
				before := counts("p")
				belay(strings.Fields(command)...)
				after, removed := counts("p"), 0
				for at, n := range before {
					removed += max(0, n-after[at])
				}
				if removed < promised {
					t.Errorf("%s, but it removed %d", all[0][0], removed)
				}
			}
			if len(said) < 2 {
				t.Errorf("only %v was said", said)
			}
		})
	}
}
