package config

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Edits that come at the same time each find the file that the one before has left.
func TestEditsFollowEachOther(t *testing.T) {
	o := Options{ConfigFile: filepath.Join(t.TempDir(), "config.yaml"), Home: t.TempDir()}
	if err := os.WriteFile(o.ConfigFile, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, s := range Reference() {
		if s.Switch && len(keys) < 12 {
			keys = append(keys, s.Key)
		}
	}
	var edits sync.WaitGroup
	for _, key := range keys {
		edits.Go(func() {
			value := "true"
			if _, problems, err := Edit(t.Context(), o, key, &value); err != nil || len(problems) > 0 {
				t.Error(key, problems, err)
			}
		})
	}
	edits.Wait()
	data, err := os.ReadFile(o.ConfigFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(data), ": true\n"); got != len(keys) || !strings.HasPrefix(string(data), "# mine\n") {
		t.Errorf("%d of %d edits are kept:\n%s", got, len(keys), data)
	}
	if left, err := os.ReadDir(filepath.Dir(o.ConfigFile)); err != nil || len(left) != 1 {
		t.Errorf("beside the file are %v, %v", left, err)
	}
}

// Entries are added to a list where it stands, with its comments, and never twice.
func TestAppend(t *testing.T) {
	o := Options{ConfigFile: filepath.Join(t.TempDir(), "config.yaml"), Home: t.TempDir()}
	for _, c := range []struct{ before, want string }{
		{"# mine\n", "# mine\n"},
		{"permit:\n  allow:\n    # the tests\n    - bash(go test *) # fast\n  # later\n  timeout: 5m\n", "# the tests"},
		{"permit:\n  allow: [read]\n", "[read"},
		{"permit:\n  allow:\n", ""},
		{"provider: scripted # offline\n", "# offline"},
	} {
		if err := os.WriteFile(o.ConfigFile, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			path, problems, err := Append(t.Context(), o, "permit.allow", "bash(make check)", "network(example.com:8443)")
			if err != nil || len(problems) > 0 || path != UserFile(o) {
				t.Fatal(path, problems, err)
			}
		}
		data, err := os.ReadFile(o.ConfigFile)
		if err != nil {
			t.Fatal(err)
		}
		cfg, problems := Examine(o)
		if len(problems) > 0 || !strings.Contains(strings.Join(cfg.Permit.Allow, " "), "bash(make check) network(example.com:8443)") {
			t.Errorf("%q gives %q, %v:\n%s", c.before, cfg.Permit.Allow, problems, data)
		}
		if strings.Count(string(data), "make check") != 1 || !strings.Contains(string(data), c.want) {
			t.Errorf("%q became\n%s", c.before, data)
		}
		if strings.Contains(c.before, "later") && (!strings.Contains(string(data), "# fast") || !strings.Contains(string(data), "# later")) {
			t.Errorf("comments are lost:\n%s", data)
		}
	}
	for _, bad := range []string{"permit:\n  allow: read\n", "permit: 3\n", "permit: [\n"} {
		if err := os.WriteFile(o.ConfigFile, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, problems, err := Append(t.Context(), o, "permit.allow", "read"); err == nil && len(problems) == 0 {
			t.Errorf("%q takes a rule", bad)
		}
		if data, err := os.ReadFile(o.ConfigFile); err != nil || string(data) != bad {
			t.Errorf("%q became %q, %v", bad, data, err)
		}
	}
}
