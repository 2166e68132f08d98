package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

// bench is an operator with a project, and what they have set.
type bench struct {
	t        *testing.T
	home     string // with config.yaml, state and cache
	project  string
	other    string // a folder beside the project
	standard bool   // the setting that is tried has its default
	settings settings
	env      []string
}

func newBench(t *testing.T, also settings) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("", "belay-") // not that of the test, which has the setting's name
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	b := &bench{t: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), other: filepath.Join(dir, "other"), settings: settings{}}
	for _, d := range []string{b.home, b.project, b.other} {
		must(t, os.Mkdir(d, 0o700))
	}
	maps.Copy(b.settings, also)
	if _, ok := b.settings["scripted.pace"]; !ok {
		b.settings["scripted.pace"] = "0"
	}
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file writes a file of the project and returns its path.
func (b *bench) file(name, content string) string {
	b.t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(b.project, name)
	}
	must(b.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(b.t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// script has the scripted provider play steps in every turn whose message has "go".
func (b *bench) script(steps ...string) {
	text := "turns:\n  - when: go\n    steps:\n"
	for _, s := range steps {
		text += "      - " + s + "\n"
	}
	b.settings["scripted.script"] = b.file(filepath.Join(b.other, "script.yaml"), text)
}

// configure writes the settings as the user's config.yaml.
func (b *bench) configure() {
	b.t.Helper()
	tree := map[string]any{}
	for name, value := range b.settings {
		value = strings.NewReplacer("{project}", b.project, "{other}", b.other, "{home}", b.home).Replace(value)
		var v any
		must(b.t, yaml.Unmarshal([]byte(value), &v))
		at := tree
		for {
			group, rest, dotted := strings.Cut(name, ".")
			if !dotted {
				at[name] = v
				break
			}
			if at[group] == nil {
				at[group] = map[string]any{}
			}
			at, name = at[group].(map[string]any), rest
		}
	}
	text, err := yaml.Marshal(tree)
	must(b.t, err)
	b.file(filepath.Join(b.home, "config", "belay", "config.yaml"), string(text))
}

// command is a belay process that is not yet started.
func (b *bench) command(args ...string) *exec.Cmd {
	b.t.Helper()
	b.configure()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	b.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.WaitDelay = b.project, patience
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + b.home, "NO_COLOR=1", "TZ=UTC", "USER=somebody",
		"XDG_STATE_HOME=" + filepath.Join(b.home, "state"), "XDG_CACHE_HOME=" + filepath.Join(b.home, "cache"), "XDG_CONFIG_HOME=" + filepath.Join(b.home, "config"),
	}, b.env...)
	return cmd
}

// run is the exit code and the whole output of a command.
func (b *bench) run(args ...string) string {
	b.t.Helper()
	out, err := b.command(args...).CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	code := 0
	if exit != nil {
		code = exit.ExitCode()
	}
	return fmt.Sprintf("%s\nexit code %d\n", out, code)
}

// turn is the output of a turn with its events. Calls that need a decision are
// refused.
func (b *bench) turn(args ...string) string {
	b.t.Helper()
	return b.run(append([]string{"turn", "--json", "--mode", "dontAsk"}, args...)...)
}

// calls is the output of a turn that makes tool calls, all of them allowed.
func (b *bench) calls(calls ...string) string {
	b.t.Helper()
	var steps []string
	for _, c := range calls {
		steps = append(steps, "call: "+c)
	}
	b.script(append(steps, "say: That was all.")...)
	return b.turn("--allow", "bash", "--allow", "write", "--allow", "edit", "--allow", "fetch", "go")
}

// shell is the output of a turn that runs a command.
func (b *bench) shell(command string) string {
	b.t.Helper()
	return b.calls(fmt.Sprintf("{name: bash, input: {command: %q}}", command))
}

// under lists what lies below a folder, one path a line.
func (b *bench) under(dir string) string {
	b.t.Helper()
	var list bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went meanwhile
		}
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list.WriteString(rel + "\n")
		}
		return err
	})
	must(b.t, err)
	return list.String()
}

// eventually waits until something holds.
func (b *bench) eventually(what string, holds func() bool) {
	b.t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatal("it never happened: " + what)
		}
	}
}

// contents are the files of the project whose path has a pattern.
func (b *bench) contents(pattern string) string {
	b.t.Helper()
	var all strings.Builder
	paths, err := filepath.Glob(filepath.Join(b.project, pattern))
	must(b.t, err)
	for _, p := range paths {
		text, err := readFile(p)
		must(b.t, err)
		all.WriteString(text + "\n")
	}
	return all.String()
}

func readFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	return string(data), err
}

// age makes all files below a folder look older.
func (b *bench) age(dir string, by time.Duration) {
	b.t.Helper()
	then := time.Now().Add(-by)
	for name := range strings.Lines(b.under(dir)) {
		must(b.t, os.Chtimes(filepath.Join(dir, strings.TrimSuffix(name, "\n")), then, then))
	}
}

func copyDir(to, from string) error { return os.CopyFS(to, os.DirFS(from)) }
