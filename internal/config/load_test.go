package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// world is a machine with a home folder, a project and an environment.
type world struct {
	t             testing.TB
	home, project string
	o             Options
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir(), project: t.TempDir()}
	w.o = Options{Env: map[string]string{}, Home: w.home, Dir: w.project, System: "linux"}
	return w
}

func (w *world) user(yaml string) string {
	return w.write(filepath.Join(w.home, ".config", "belay", "config.yaml"), yaml)
}

func (w *world) belay(yaml string) string {
	return w.write(filepath.Join(w.project, "belay.yaml"), yaml)
}

func (w *world) write(path, data string) string {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) load() *Config {
	w.t.Helper()
	c, err := Load(w.o)
	if err != nil {
		w.t.Fatalf("Load: %v", err)
	}
	return c
}

func (w *world) problems() []Problem {
	w.t.Helper()
	c, err := Load(w.o)
	var e *Error
	if !errors.As(err, &e) || c != nil || len(e.Problems) == 0 {
		w.t.Fatalf("Load = %v, %v; want problems", c, err)
	}
	return e.Problems
}

func row(t testing.TB, c *Config, key string) Row {
	t.Helper()
	i := slices.IndexFunc(c.Show(), func(r Row) bool { return r.Key == key })
	if i < 0 {
		t.Fatalf("no row %s", key)
	}
	return c.Show()[i]
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.load()
	for _, r := range c.Show() {
		if r.Origin != "default" {
			t.Errorf("%s has origin %q", r.Key, r.Origin)
		}
		if r.Doc == "" || !strings.HasSuffix(r.Doc, ".") {
			t.Errorf("%s: doc %q is no sentence", r.Key, r.Doc)
		}
		if r.Default != "" && r.Value != r.Default {
			t.Errorf("%s: value %q is not how its default %q is written", r.Key, r.Value, r.Default)
		}
	}
	got := []any{
		c.Addr, c.Provider, c.Model, c.DefaultModel, c.Turn.StallTimeout, c.Turn.WallLimit, c.Turn.MaxTurns, c.Turn.MaxCostUSD,
		c.Attachments.FileBytes, c.Attachments.TurnBytes, c.Attachments.Roots, len(c.Attachments.Extensions),
		c.Subagents.Enabled, c.Bus.Enabled, c.RunsBus(), c.Paths.StateDir, c.Keys.Anthropic.Set(), len(c.Warnings), c.ConfineAttachments(),
	}
	want := []any{
		"127.0.0.1:23529", "scripted", "", "claude-sonnet-5", 90 * time.Second, 30 * time.Minute, 50, 0.0,
		int64(10 << 20), int64(18 << 20), RootsAuto, 9,
		false, BusAuto, false, filepath.Join(w.home, ".local", "state", "belay"), false, 0, false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each layer wins over those before it, and the row says which one it was.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	layers := []struct {
		name  string
		apply func(w *world) (origin string)
	}{
		{"defaults", func(*world) string { return "default" }},
		{"project", func(w *world) string { return w.belay("default_model: project\n") + ":1" }},
		{"user", func(w *world) string { return w.user("# mine\ndefault_model: user\n") + ":2" }},
		{"environment", func(w *world) string {
			w.o.Env["BELAY_DEFAULT_MODEL"] = "environment"
			return "env BELAY_DEFAULT_MODEL"
		}},
		{"flag", func(w *world) string {
			w.o.Flags = []Flag{{"default_model", "--default-model", "flag"}}
			return "flag --default-model"
		}},
	}
	// Every subset of layers, so that none depends on another being there.
	for set := range 1 << len(layers) {
		w := newWorld(t)
		want, origin := "claude-sonnet-5", "default"
		var names []string
		for i, l := range layers {
			if set&(1<<i) == 0 {
				continue
			}
			names = append(names, l.name)
			o := l.apply(w)
			if i > 0 {
				want, origin = l.name, o
			}
		}
		r := row(t, w.load(), "default_model")
		if r.Value != want || r.Origin != origin {
			t.Errorf("%v: %q from %q, want %q from %q", names, r.Value, r.Origin, want, origin)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		env, value, key, want string
	}{
		{"BELAY_TURN_MAX_COST_USD", "1.50", "turn.max_cost_usd", "1.5"},
		{"BELAY_ATTACHMENTS_FILE_BYTES", " 1 MB ", "attachments.file_bytes", "1MB"},
		{"BELAY_SERVER_ALLOWED_HOSTS", "Example.org, a.test:8080,", "server.allowed_hosts", "a.test:8080, example.org"},
		{"BELAY_BUS_ENABLED", "False", "bus.enabled", "off"},
		{"BELAY_MODELS", "{M-1: {context_tokens: 5}}", "models", `{"m-1":{"context_tokens":5}}`},
		{"BELAY_SCRIPTED_PACE", "0", "scripted.pace", "0"},
		{"CHIRALITY_HARNESS_PROVIDER", "  ANTHROPIC ", "provider", "anthropic"},
		{"CHIRALITY_HARNESS_PROVIDER", "stub", "provider", "scripted"},
		{"BELAY_ATTACHMENTS_ALLOWED_HOSTS", "Files.Test:8080, 10.1.2.3/16, [FD00::1]:9", "attachments.allowed_hosts", "10.1.0.0/16, [fd00::1]:9, files.test:8080"},
		{"ATTACHMENTS_MAX_DOWNLOAD_SIZE_BYTES", "10000000", "attachments.max_download_size_bytes", "10MB"},
		{"ATTACHMENTS_DOWNLOAD_TIMEOUT", "5s", "attachments.download_timeout", "5s"},
		{"ATTACHMENTS_MAX_REDIRECTS", "0", "attachments.max_redirects", "0"},
		{"ATTACHMENTS_ALLOWED_MIME_TYPES_IMAGE", "image/png, IMAGE/webp", "attachments.allowed_mime_types.image", "image/png, image/webp"},
		{"ATTACHMENTS_ALLOWED_MIME_TYPES_AUDIO", "audio/*", "attachments.allowed_mime_types.audio", "audio/*"},
		{"ATTACHMENTS_ALLOWED_MIME_TYPES_VIDEO", "video/mp4", "attachments.allowed_mime_types.video", "video/mp4"},
		{"ATTACHMENTS_ALLOWED_MIME_TYPES_PDF", "*/*", "attachments.allowed_mime_types.pdf", "*/*"},
		{"ATTACHMENTS_TEMP_DIR_QUOTA_BYTES", "1GiB", "attachments.temp_dir_quota_bytes", "1GiB"},
		{"ATTACHMENTS_TEXT_PART_MAX_BYTES", "5242880", "attachments.text_part_max_bytes", "5MiB"},
		{"ATTACHMENTS_PDF_EXTRACT_MAX_CHARS", "1_000_000", "attachments.pdf_extract_max_chars", "1000000"},
		{"ATTACHMENTS_HTTP_USER_AGENT", "Compozy/1.0", "attachments.http_user_agent", "Compozy/1.0"},
		{"ATTACHMENTS_SSRF_STRICT", "true", "attachments.ssrf_strict", "true"},
		{"CHIRALITY_GLOBAL_MODEL", "m", "model", "m"},
		{"CHIRALITY_ANTHROPIC_VERSION", "2024-01-01", "anthropic.version", "2024-01-01"},
		{"CHIRALITY_ANTHROPIC_MAX_TOKENS", "77", "anthropic.max_tokens", "77"},
		{"CHIRALITY_ANTHROPIC_API_URL", "http://127.0.0.1:9/v1", "anthropic.base_url", "http://127.0.0.1:9/v1"},
		{"CHIRALITY_ANTHROPIC_STREAM_TIMEOUT_MS", "1500", "turn.stall_timeout", "1.5s"},
		{"CHIRALITY_ENABLE_SUBAGENTS", "true", "subagents.enabled", "true"},
		{"CHIRALITY_ENABLE_SUBAGENTS", "TRUE", "subagents.enabled", "false"},
		{"CHIRALITY_ENABLE_SUBAGENTS", " true", "subagents.enabled", "false"},
		{"CHIRALITY_ENABLE_SUBAGENTS", "1", "subagents.enabled", "false"},
	}
	for _, tt := range tests {
		t.Run(tt.env+"="+tt.value, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.o.Env[tt.env] = tt.value
			r := row(t, w.load(), tt.key)
			if r.Value != tt.want || r.Origin != "env "+tt.env {
				t.Errorf("%s = %q from %q, want %q", tt.key, r.Value, r.Origin, tt.want)
			}
		})
	}
}

func TestOwnVariableWinsOverAlias(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Env["CHIRALITY_GLOBAL_MODEL"] = "alias"
	w.o.Env["BELAY_MODEL"] = "own"
	if r := row(t, w.load(), "model"); r.Value != "own" {
		t.Errorf("model is %q from %q", r.Value, r.Origin)
	}
	w.o.Env["BELAY_MODEL"] = "  " // blank is as if it were not set
	if r := row(t, w.load(), "model"); r.Value != "alias" {
		t.Errorf("model is %q from %q", r.Value, r.Origin)
	}
}

// A variable that sets nothing is named, however far it is from those that do.
func TestMistypedVariable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, want := range map[string]string{
		"BELAY_PROVIDR":      "BELAY_PROVIDER?",
		"BELAY_MAX_TURNS":    "BELAY_TURN_MAX_TURNS?",
		"BELAY_BUDGET_LIMIT": "no setting has that name",
	} {
		w.o.Env = map[string]string{name: "x"}
		if c := w.load(); len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], name+" sets nothing; ") || !strings.Contains(c.Warnings[0], want) {
			t.Errorf("%s: warnings = %q, want %q", name, c.Warnings, want)
		}
	}
	w.o.Env = map[string]string{"BELAY_CONFIG": "", "BELAY_MODEL": "m", "OTHER": "x"}
	if c := w.load(); len(c.Warnings) != 0 {
		t.Errorf("warnings = %q", c.Warnings)
	}
}

// Ports of the machine are opened only to commands that have a network of their own.
func TestLocalPortsWithoutANetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for network, want := range map[string]int{"none": 0, "ask": 0, "ports": 1, "open": 1} {
		w.o.Env = map[string]string{"BELAY_BASH_LOCAL_PORTS": "5432,6379", "BELAY_BASH_NETWORK": network}
		if c := w.load(); len(c.Warnings) != want || want > 0 && !strings.Contains(c.Warnings[0], "bash.local_ports opens nothing") {
			t.Errorf("%s: warnings = %q", network, c.Warnings)
		}
	}
	w.o.Env = map[string]string{"BELAY_BASH_LOCAL_PORTS": "5432", "BELAY_BASH_CONFINE": "false"}
	if c := w.load(); len(c.Warnings) != 1 {
		t.Errorf("without confinement: warnings = %q", c.Warnings)
	}
	for _, bad := range []string{"0", "65536", "-1", "x", "3128"} {
		w.o.Env = map[string]string{"BELAY_BASH_LOCAL_PORTS": bad}
		if _, problems := Examine(w.o); len(problems) != 1 || !strings.Contains(fmt.Sprint(problems), "local_ports") {
			t.Errorf("%s: %v", bad, problems)
		}
	}
}

func TestRelativePaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	abs := t.TempDir()
	w.user("instructions: rules\nscripted:\n  script: '" + abs + "/a/../x.yaml'\n")
	w.o.Env["BELAY_TOKEN_FILE"] = "token"
	w.o.Flags = []Flag{{"session_root", "--session-root", "../s"}}
	c := w.load()
	want := []string{
		filepath.Join(w.home, ".config", "belay", "rules"), filepath.Join(abs, "x.yaml"),
		filepath.Join(w.project, "token"), filepath.Join(filepath.Dir(w.project), "s"),
	}
	if diff := cmp.Diff(want, []string{c.Instructions, c.Scripted.Script, c.TokenFile, c.SessionRoot}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConfigFileChoice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("model: user\n")
	other := w.write(filepath.Join(w.project, "other.yaml"), "model: other\n")
	w.o.Env["BELAY_CONFIG"] = "other.yaml"
	if c := w.load(); c.Model != "other" || c.Paths.ConfigFile != other {
		t.Errorf("BELAY_CONFIG: model %q from %q", c.Model, c.Paths.ConfigFile)
	}
	w.o.ConfigFile = "none.yaml"
	p := w.problems()
	if len(p) != 1 || !strings.Contains(p[0].Message, "does not exist") || p[0].Where != filepath.Join(w.project, "none.yaml") {
		t.Errorf("a missing --config: %+v", p)
	}
}

// Covers: turn-api REQ-13
func TestAPIKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Env["CHIRALITY_ANTHROPIC_API_KEY"] = "sk-second"
	w.o.Env["ANTHROPIC_API_KEY"] = " sk-first "
	c := w.load()
	if c.Keys.Anthropic.Reveal() != "sk-first" {
		t.Error("ANTHROPIC_API_KEY does not win")
	}
	r := row(t, c, "anthropic.api_key")
	if r.Value != "(set)" || r.Origin != "env ANTHROPIC_API_KEY" {
		t.Errorf("row = %+v", r)
	}
	if text := spell(t, c); strings.Contains(text, "sk-") {
		t.Errorf("a key is printed: %s", text)
	}
	w.o.Env["ANTHROPIC_API_KEY"] = " "
	if c := w.load(); c.Keys.Anthropic.Reveal() != "sk-second" {
		t.Error("a blank key hides the other")
	}
}

func TestForProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("turn:\n  max_turns: 40\n")
	w.belay("turn:\n  max_turns: 10\n")
	other, plain := t.TempDir(), t.TempDir()
	w.write(filepath.Join(other, "belay.yaml"), "turn:\n  max_turns: 20\n")
	c := w.load()
	for dir, want := range map[string]int{w.project: 10, other: 20, plain: 40} {
		p, err := c.ForProject(dir)
		if err != nil || p.Turn.MaxTurns != want {
			t.Errorf("ForProject: %v, %v; want %d turns", p.Turn.MaxTurns, err, want)
		}
	}
	if c.Turn.MaxTurns != 10 {
		t.Errorf("the first Config changed: %d", c.Turn.MaxTurns)
	}
	w.write(filepath.Join(other, "belay.yaml"), "turn:\n  max_turns: many\n")
	if _, err := c.ForProject(other); err == nil {
		t.Error("a broken project file was accepted")
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for addr, loopback := range map[string]bool{
		"127.0.0.1:1": true, "localhost:0": true, "[::1]:80": true, "127.9.9.9:1": true, "[::ffff:127.0.0.1]:1": true,
		"0.0.0.0:80": false, ":80": false, "[::]:1": false, "example.org:80": false, "192.168.1.1:1": false,
	} {
		w := newWorld(t)
		w.o.Flags = []Flag{{"addr", "--addr", addr}}
		c := w.load()
		if c.Loopback() != loopback || c.ConfineAttachments() == loopback {
			t.Errorf("%s: loopback %v, confined %v", addr, c.Loopback(), c.ConfineAttachments())
		}
	}
}

func TestProjectRootsAreAbsolute(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a, b := filepath.Join(home, "a"), filepath.Join(home, "b")
	try := func(roots string) (*Config, error) {
		return Load(Options{Env: map[string]string{"BELAY_SERVER_PROJECT_ROOTS": roots}, Home: home, Dir: home})
	}
	cfg, err := try(b + string(filepath.Separator) + ", " + filepath.Join(a, "x", "..") + "," + b)
	if err != nil || !slices.Equal(cfg.Server.ProjectRoots, []string{a, b}) {
		t.Errorf("got %v, %v", cfg, err)
	}
	if _, err := try("a, " + b); err == nil || !strings.Contains(err.Error(), "which is no absolute path") {
		t.Errorf("a relative path: %v", err)
	}
}
