package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/tool/shell"
)

// Where AppArmor keeps namespaces from programs without a profile, doctor prints one.
func TestAppArmorProfile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "switch")
	for name, tt := range map[string]struct {
		state   string
		report  shell.Report
		program string
		want    string
	}{
		"forbidden":       {"1\n", shell.Report{}, "/usr/local/bin/belay", `profile belay /usr/local/bin/belay flags=(unconfined) {\n  userns,\n}\n' | sudo tee /etc/apparmor.d/belay`},
		"an odd path":     {"1\n", shell.Report{}, "/home/a b/it's", "give belay's program an AppArmor profile"},
		"not forbidden":   {"0\n", shell.Report{}, "/usr/bin/belay", ""},
		"it has them":     {"1\n", shell.Report{Namespaces: true}, "/usr/bin/belay", ""},
		"no such setting": {"", shell.Report{}, "/usr/bin/belay", ""},
	} {
		at := file
		if tt.state == "" {
			at += "-missing"
		} else if err := os.WriteFile(file, []byte(tt.state), 0o600); err != nil {
			t.Fatal(err)
		}
		checks := apparmor(tt.report, at, tt.program)
		if (len(checks) == 0) != (tt.want == "") || len(checks) > 0 && !strings.Contains(checks[0].Next, tt.want) {
			t.Errorf("%s: %+v", name, checks)
		}
	}
}
