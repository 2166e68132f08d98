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

// An edit that would make the rest of the file invalid is refused, and the file stays. What
// was wrong before stops no edit.
func TestEditsKeepTheFileValid(t *testing.T) {
	o := Options{ConfigFile: filepath.Join(t.TempDir(), "config.yaml"), Home: t.TempDir()}
	three := "3"
	for _, c := range []struct {
		file, key string
		value     *string
		says      string
	}{
		{"permit: {allow: [mcp.docs.*]}\nmcp: {servers: {docs: {command: [docs]}}}\n", "mcp.servers", nil, "there is no MCP server docs"},
		{"model: &m foo\npermit: {allow: [*m]}\n", "model", nil, "unknown anchor"},
		{"permit: {allow: [mcp.docs.*]}\n", "turn.max_turns", &three, ""},
	} {
		if err := os.WriteFile(o.ConfigFile, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, problems, err := Edit(t.Context(), o, c.key, c.value)
		if err != nil || (len(problems) == 0) != (c.says == "") || c.says != "" && !strings.Contains(problems[0].String(), c.says) {
			t.Errorf("%s of %q: %v, %v", c.key, c.file, problems, err)
		}
		data, err := os.ReadFile(o.ConfigFile)
		if err != nil || c.says != "" && string(data) != c.file {
			t.Errorf("the file is %q, %v", data, err)
		}
	}
}

// A key in an address is shown to nobody.
func TestShowHasNoKeys(t *testing.T) {
	o := Options{ConfigFile: filepath.Join(t.TempDir(), "config.yaml"), Home: t.TempDir()}
	if err := os.WriteFile(o.ConfigFile, []byte("mcp: {servers: {docs: {url: 'http://127.0.0.1:1/ok?apikey=open-sesame-99'}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, problems := Examine(o)
	for _, row := range c.Show() {
		if strings.Contains(row.Value, "sesame") {
			t.Errorf("%s is %s", row.Key, row.Value)
		}
		if row.Key == "mcp.servers" && !strings.Contains(row.Value, "127.0.0.1:1/ok") {
			t.Errorf("%s is %s: %v", row.Key, row.Value, problems)
		}
	}
}

// An edit finds a setting however the file writes it, and leaves comments, indentation and
// line ends as they are.
func TestEditsLeaveTheRest(t *testing.T) {
	o := Options{ConfigFile: filepath.Join(t.TempDir(), "config.yaml"), Home: t.TempDir()}
	seven := "7"
	for _, c := range []struct {
		before string
		value  *string
		after  string
	}{
		{"turn.max_turns: 5\n", &seven, "turn.max_turns: 7\n"},
		{"turn:\n  max_tokens: 9\nturn.max_turns: 5 # mine\n", &seven, "turn:\n  max_tokens: 9\nturn.max_turns: 7 # mine\n"},
		{"turn:\n    max_tokens: 9\n", &seven, "turn:\n    max_tokens: 9\n    max_turns: 7\n"},
		{"model: a\r\nturn:\r\n  max_turns: 5\r\n", &seven, "model: a\r\nturn:\r\n  max_turns: 7\r\n"},
		{"# one\r\n# two\r\n", &seven, "# one\r\n# two\r\nturn:\r\n  max_turns: 7\r\n"},
		{"# head\r\nmodel: a\r\n", &seven, "# head\r\nmodel: a\r\nturn:\r\n  max_turns: 7\r\n"},
		{"model: a\r\n# mixed\n", &seven, "model: a\n# mixed\nturn:\n  max_turns: 7\n"},
		{"turn.max_turns: 5\n", nil, "{}\n"},
		{"# of the file\n\n# of the turns\nturn:\n  # why five\n  max_turns: 5\nmodel: a\n", nil, "# of the file\n\n# of the turns\n\n# why five\n\nmodel: a\n"},
		{"turn:\n  max_tokens: 9\n  # why five\n  max_turns: 5\n", nil, "turn:\n  max_tokens: 9\n  # why five\n"},
		{"# why five\nturn.max_turns: 5\n", nil, "# why five\n{}\n"},
	} {
		if err := os.WriteFile(o.ConfigFile, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, problems, err := Edit(t.Context(), o, "turn.max_turns", c.value); err != nil || len(problems) > 0 {
			t.Errorf("%q: %v, %v", c.before, problems, err)
		}
		data, err := os.ReadFile(o.ConfigFile)
		if err != nil {
			t.Fatal(err)
		}
		squeeze := func(s string) string { return strings.NewReplacer("\r\n\r\n", "\r\n", "\n\n", "\n").Replace(s) } // blank lines are the library's
		if squeeze(string(data)) != squeeze(c.after) {
			t.Errorf("%q became %q", c.before, data)
		}
		cfg, problems := Examine(o)
		if c.value != nil && (cfg.Turn.MaxTurns != 7 || len(problems) > 0) {
			t.Errorf("%q: max_turns is %d, %v", data, cfg.Turn.MaxTurns, problems)
		}
	}
}

// Blanks at the ends of a path belong to the folder's name: without them it is another folder.
func TestBlanksOfPaths(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "own ")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("project: '"+dir+"'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if cfg, problems := Examine(Options{ConfigFile: file, Home: t.TempDir()}); cfg.Project != dir || len(problems) > 0 {
		t.Errorf("project is %q, %v", cfg.Project, problems)
	}
}
