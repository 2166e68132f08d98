package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func spell(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %v %+v %#v", b, v, v, v)
}

// Every file in testdata/bad says in comments what is wrong with it:
// "# want LINE:COLUMN: KEY: MESSAGE", in order. Files named project-* are a
// project's belay.yaml, the others a user's file.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t)
			var path string
			if strings.HasPrefix(filepath.Base(f), "project-") {
				path = w.belay(string(data))
			} else {
				path = w.user(string(data))
			}
			var want, got []string
			for line := range strings.Lines(string(data)) {
				if text, ok := strings.CutPrefix(strings.TrimSpace(line), "# want "); ok {
					want = append(want, text)
				}
			}
			for _, p := range w.problems() {
				line := strings.TrimPrefix(p.String(), path+":")
				if p.Hint != "" {
					line += " (" + p.Hint + ")"
				}
				got = append(got, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadVariablesAndFlags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("turn:\n  max_turns: 0\n")
	w.o.Env["BELAY_TURN_STALL_TIMEOUT"] = "90"
	w.o.Env["CHIRALITY_HARNESS_PROVIDER"] = "other"
	w.o.Env["CHIRALITY_ANTHROPIC_STREAM_TIMEOUT_MS"] = "soon" // hidden by BELAY_TURN_STALL_TIMEOUT
	w.o.Flags = []Flag{{"addr", "--addr", "nowhere"}, {"turn.max_turn", "--max-turns", "1"}}
	var got []string
	for _, p := range w.problems() {
		got = append(got, strings.TrimPrefix(p.String(), filepath.Join(w.home, ".config", "belay")+string(filepath.Separator)))
	}
	want := []string{
		"config.yaml:2:14: turn.max_turns: 0 is not between 1 and 100000",
		`env CHIRALITY_HARNESS_PROVIDER: provider: "other" is not one of scripted, anthropic, openai`,
		`env BELAY_TURN_STALL_TIMEOUT: turn.stall_timeout: is not a duration; write for example "90s", "1m30s" or "30d"`,
		"flag --addr: addr: is not host:port",
		"flag --max-turns: turn.max_turn: is not a setting",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	_, err := Load(w.o)
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 6 || lines[0] != "the configuration has 5 problems" || !strings.HasSuffix(lines[5], "(did you mean turn.max_turns?)") {
		t.Errorf("error is\n%v", err)
	}
}

// A proxy is where it listens, and nothing else: a password would stand in a file.
func TestBadProxies(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"proxy.example:3128":              "is not an http or https URL",
		"socks5://proxy.example:1080":     "is not an http or https URL",
		"http://ana:secret@proxy.example": "must not hold a user name or password",
		"http://proxy.example:3128/path":  "must not have a path",
		"http://proxy.example:3128/?a=b":  "must not have a query or fragment",
		"http://proxy.example:3128":       "",
		"https://proxy.example/":          "",
		"http://127.0.0.1:3128":           "",
	} {
		w := newWorld(t)
		w.o.Env["BELAY_NETWORK_PROXY"] = value
		_, err := Load(w.o)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", value, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), "network.proxy: "+want)):
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
}

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(filepath.Join(w.home, ".config", "belay", "config.yaml", "inside"), "")
	w.belay(strings.Repeat("#", maxFile+1))
	p := w.problems()
	if len(p) != 2 || !strings.Contains(p[0].Message, "larger than 1MiB") || !strings.Contains(p[1].Message, "not a regular file") {
		t.Errorf("problems = %+v", p)
	}
}

// A project's file that leads out of the project is not read: its problems would
// show what it holds.
func TestProjectFileStaysInside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.write(filepath.Join(w.home, "secret"), "hunter2: x\n")
	if err := os.Symlink(secret, filepath.Join(w.project, "belay.yaml")); err != nil {
		t.Skipf("skipped: this system does not let the test make links: %v", err)
	}
	p := w.problems()
	if len(p) != 1 || strings.Contains(fmt.Sprint(p), "hunter2") {
		t.Errorf("problems = %+v", p)
	}
}

func TestNoHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Home = ""
	p := w.problems()
	if len(p) != 2 || p[0].Key != "state_dir" || !strings.Contains(p[0].Hint, "BELAY_STATE_DIR") {
		t.Errorf("problems = %+v", p)
	}
	state := t.TempDir()
	w.o.Env["BELAY_STATE_DIR"], w.o.Env["BELAY_CACHE_DIR"] = state, "cache"
	if c := w.load(); c.Paths.StateDir != state || c.Paths.CacheDir != filepath.Join(w.project, "cache") {
		t.Errorf("paths = %+v", c.Paths)
	}
}

func TestSectionIsNoSetting(t *testing.T) {
	t.Parallel()
	if got := suggest("turn"); got != "it is a section; name one of its settings, such as turn.stall_timeout" {
		t.Errorf("the hint is %q", got)
	}
}
