package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/permit"
	"belay/internal/tool/shell/confine"
)

// Where there is no bash, sh runs commands. Rules then read a text as sh does, too: what
// the two read in different ways is covered by no rule, and may be what one denies.
//
// Covers: turn-api REQ-04
func TestWithoutBash(t *testing.T) { //nolint:paralleltest // it changes the environment
	sh, err := exec.LookPath("sh")
	must(t, err)
	bin := t.TempDir()
	must(t, os.Symlink(sh, filepath.Join(bin, "sh")))
	base := tempDir(t)
	w := newPlace(t, base)
	withBash := newShell(t, base, Options{Network: confine.NetworkNone})
	_, with := prepared(t, withBash, w, "echo a &> b", false)
	t.Setenv("PATH", bin)
	s := newShell(t, base, Options{Network: confine.NetworkNone})
	allowed, err := permit.ParseRules([]string{"bash(echo *)", "write"})
	must(t, err)
	denied, err := permit.ParseRules([]string{"bash(rm *)"})
	must(t, err)
	for text, want := range map[string]permit.Outcome{"echo a > b": permit.Allow, "echo a &> b": permit.Ask} {
		_, e := prepared(t, s, w, text, false)
		e.Deferred = false // what rules say of a text shows where nothing is reviewed
		if r := (permit.Policy{Allowed: allowed, Denied: denied}).Judge(e); r.Outcome != want {
			t.Errorf("%q: %+v, want %s", text, r, want)
		}
	}
	with.Deferred = false
	if r := (permit.Policy{Allowed: allowed, Denied: denied}).Judge(with); r.Outcome != permit.Allow {
		t.Errorf("with bash: %+v", r)
	}
	if r, err := callShell(t, s, w, input{Command: `echo "ran by [$0] [$BASH_VERSION]"`}); err != nil || !strings.Contains(r.Text, "/sh] []") {
		t.Errorf("%v: %s", err, r.Text)
	}
	report, err := s.Report(t.Context())
	must(t, err)
	if !report.PlainShell || !strings.Contains(strings.Join(report.Open, "; "), "there is no bash") {
		t.Errorf("the report is %+v", report)
	}
}
