package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"belay/internal/config"
	"belay/internal/persona"
)

// load reads a user's configuration of the given text.
func load(t testing.TB, yaml string) *config.Config {
	t.Helper()
	return loadIn(t, t.TempDir(), yaml)
}

// loadIn is load in a home of the caller's, so that two of them differ in their
// settings alone.
func loadIn(t testing.TB, home, yaml string) *config.Config {
	t.Helper()
	file := filepath.Join(home, "belay.config.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Options{Env: map[string]string{}, Home: home, Dir: home, ConfigFile: file})
	if err != nil {
		t.Fatalf("%s: %v", yaml, err)
	}
	// What depends on the folder of this test is the same in all of them.
	for _, p := range []*string{&cfg.Paths.StateDir, &cfg.Paths.CacheDir} {
		*p = strings.ReplaceAll(*p, home, "/home")
	}
	return cfg
}

// wiring is everything that the rooms get of the settings.
func wiring(cfg *config.Config) []any {
	engine, err := engineOptions(cfg)
	hooked, hooksErr := hookOptions(cfg)
	return []any{
		storeOptions(cfg), retention(cfg), plannerOptions(cfg, nil), engine, err, requestsOptions(cfg), shellOptions(cfg), fetchOptions(cfg), mcpOptions(cfg), hooked, hooksErr, retryPolicy(cfg),
		anthropicOptions(cfg), openaiOptions(cfg), defaultModel(cfg), scriptedOptions(cfg), handlerOptions(cfg), serveOptions(cfg), busOptions(cfg), projectRoots(cfg), projectsOptions(cfg),
		scaffoldLimits(cfg), snapshotLimits(cfg), locksDir(cfg),
		downloadOptions(cfg), receiveOptions(cfg), gatherOptions(cfg), runLimits(cfg), runRetention(cfg), cfg.Workflow.Providers, discordSettings(cfg), logOptions(cfg),
	}
}

// Every setting reaches a room: none is read, checked, documented and then
// forgotten. A new setting needs a row here.
//
// Covers: attachments 14
func TestEverySettingActs(t *testing.T) {
	t.Parallel()
	// Those that are not passed on but acted upon where they are read.
	direct := map[string]string{
		"project":          "belay turn and doctor",
		"instructions":     "TestSettingsActedUponAtOnce",
		"token_file":       "TestSettingsActedUponAtOnce",
		"scripted.script":  "TestSettingsActedUponAtOnce",
		"bus.enabled":      "startBus",
		"openai.model":     "TestDefaultModel",
		"telemetry.traces": "TestTraces",
		"default_model":    "TestDefaultModel",
	}
	other := map[string]string{
		"addr": "0.0.0.0:1", "effort": "high", "trust_loopback": "true", "provider": "anthropic", "model": "m",
		"session_root": "/elsewhere", "state_dir": "/elsewhere", "cache_dir": "/elsewhere", "network.allowed_hosts": "[example.com]", "network.proxy": "http://127.0.0.1:3128",
		"server.allowed_hosts": "[example.com]", "server.project_roots": "[" + t.TempDir() + "]",
		"server.max_turns_in_flight": "7",
		"server.shutdown_grace":      "11s",
		"turn.stall_timeout":         "91s", "turn.wall_limit": "31m", "turn.max_turns": "51", "turn.max_tokens": "9", "turn.max_cost_usd": "1",
		"turn.instructions_bytes": "33KiB",
		"retry.attempts":          "4", "retry.max": "31s",
		"scripted.pace": "36ms", "anthropic.base_url": "http://127.0.0.1:1", "anthropic.version": "'2024-01-01'", "anthropic.max_tokens": "9",
		"openai.base_url": "http://127.0.0.1:1", "openai.max_tokens": "9", "openai.context_tokens": "9999", "openai.image_models": "[m]",
		"prices": "{m: {input: 1, output: 2}}", "models": "{m: {context_tokens: 9}}",
		"attachments.roots": "project", "attachments.extensions": "[.png]", "attachments.max_items": "9", "attachments.file_bytes": "9MiB",
		"attachments.turn_bytes": "17MiB", "attachments.upload_bytes": "63MiB",

		"attachments.pdf_interpreted":         "true",
		"attachments.max_download_size_bytes": "9MiB", "attachments.download_timeout": "31s", "attachments.max_redirects": "0",
		"attachments.temp_dir_quota_bytes": "99MiB", "attachments.http_user_agent": "other/1",
		"attachments.allowed_hosts": "[files.test:8080]", "attachments.ssrf_strict": "true", "attachments.max_matches": "9",
		"attachments.task_bytes": "99MiB", "attachments.allowed_mime_types.image": "[image/png]",
		"attachments.allowed_mime_types.audio": "[audio/wav]", "attachments.allowed_mime_types.video": "[video/mp4]",
		"attachments.allowed_mime_types.pdf": "[application/x-pdf]", "attachments.allowed_mime_types.file": "[text/*]",
		"attachments.allowed_mime_types.url": "[text/html]", "attachments.text_part_max_bytes": "4MiB", "attachments.pdf_extract_max_chars": "999",
		"log.segment_bytes": "9MiB", "log.retention": "1d", "blobs.retention": "8d",
		"discord.channels": "{'1': {project: /p, mode: active, deciders: ['2']}}", "discord.guilds": "['1']", "discord.users": "['1']",
		"discord.debounce": "2s", "discord.merge": "newest", "discord.questions": "link", "discord.max_file_bytes": "1MiB", "discord.api": "http://127.0.0.1:1",
		"mcp.servers": "{files: {command: [cat], env: [LANG], tools: [read_file], timeout: 1s}}",
		"hooks":       "{watch: {command: [cat], calls: [bash], timeout: 1s}}", "fetch.allowed_hosts": "[example.com]", "permit.timeout": "6m", "permit.unattended_timeout": "31m", "permit.allow": "['bash(go test *)']", "permit.deny": "[write]", "permit.ask_before": "['bash(make *)']", "permit.outside": "['bash(git push)']", "tools.output_bytes": "65KiB",
		"tools.keep_bytes": "17MiB", "tools.send_file_bytes": "11MiB", "tools.send_call_bytes": "26MiB",
		"tools.receive_file_bytes": "26MiB", "tools.receive_call_bytes": "51MiB", "tools.receive_hosts": "[files.test]",
		"bash.enabled": "false", "bash.timeout": "3m",
		"bash.timeout_max": "11m", "bash.confine": "false", "bash.network": "ports",
		"bash.connect_ports": "[443]", "bash.listen_ports": "[8080]", "bash.local_ports": "[5432]", "bash.env": "[GOFLAGS]", "bash.read_paths": "[" + t.TempDir() + "]",
		"bash.processes": "9", "bash.memory_bytes": "9GiB", "bash.max_write_bytes": "5GiB", "bash.min_free_bytes": "257MiB",

		"workspace.open_transitions": "true", "workspace.require_if_match": "true",
		"subagents.enabled": "true",
		"snapshot.bytes":    "5GiB",

		"telemetry.log_format": "json", "telemetry.log_level": "debug",
		"workflow.steps": "9", "workflow.parallel": "9", "workflow.max_items": "9", "workflow.max_tasks": "9", "workflow.providers": "[openai]", "workflow.retention": "1d",
	}
	home := t.TempDir()
	standard := wiring(loadIn(t, home, ""))
	if !reflect.DeepEqual(standard, wiring(loadIn(t, home, ""))) {
		t.Fatal("two configurations without settings differ: any setting would seem to act")
	}
	for _, s := range config.Reference() {
		if direct[s.Key] != "" {
			continue
		}
		v, ok := other[s.Key]
		if !ok {
			t.Errorf("%s: no value to try it with", s.Key)
			continue
		}
		if reflect.DeepEqual(standard, wiring(loadIn(t, home, nested(s.Key, v)))) {
			t.Errorf("%s: %s instead of %s changes nothing", s.Key, v, s.Default)
		}
	}
}

// nested writes a setting as a file has it.
func nested(key, value string) string {
	indent, text := "", ""
	for {
		group, rest, dotted := strings.Cut(key, ".")
		text += indent + group + ":"
		if !dotted {
			return text + " " + value + "\n"
		}
		text, indent, key = text+"\n", indent+"  ", rest
	}
}

// Whatever a project may tighten, it tightens in the turns of a server that was
// started elsewhere.
func TestProjectTightens(t *testing.T) {
	t.Parallel()
	stricter := map[string]string{
		"turn.stall_timeout": "1s", "turn.wall_limit": "1m", "turn.max_turns": "1", "turn.max_tokens": "9", "turn.max_cost_usd": "1",
		"turn.instructions_bytes": "1KiB",
		"attachments.roots":       "project", "attachments.extensions": "[.png]", "attachments.max_items": "1", "attachments.file_bytes": "1KiB",
		"attachments.turn_bytes": "1KiB", "attachments.upload_bytes": "1KiB", "subagents.enabled": "false", "default_model": "m",
		"permit.deny": "[write]", "permit.ask_before": "['bash(make *)']", "tools.output_bytes": "1KiB",
		"tools.send_file_bytes": "1KiB", "tools.send_call_bytes": "1KiB", "tools.receive_file_bytes": "1KiB", "tools.receive_call_bytes": "1KiB", "bash.enabled": "false", "bash.timeout": "1s", "bash.timeout_max": "1s",
	}
	cfg := load(t, "provider: anthropic\nsubagents: {enabled: true}\n")
	p := newProjects(cfg)
	standard, err := p.rules(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Reference() {
		if s.Project == "" {
			continue
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "belay.yaml"), []byte(nested(s.Key, stricter[s.Key])), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := p.rules(dir)
		if err != nil {
			t.Errorf("%s: %v", s.Key, err)
		} else if reflect.DeepEqual(standard, got) {
			t.Errorf("%s: %s in a project changes nothing", s.Key, stricter[s.Key])
		}
	}
}

func TestSettingsActedUponAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	big := strings.Repeat("x", persona.MaxFileBytes+1)
	for _, name := range []string{"AGENTS.md", "README.md", "docs/DIRECTIVE.md", "docs/CONTRACT.md", "docs/SPEC.md", "docs/TYPES.md", "docs/PLAN.md"} {
		file("root/"+name, "x\n")
	}
	file("root/agents/AGENT_BIG.md", big)
	short, long := file("short", "abc"), file("long", strings.Repeat("s", maxNoteBytes+1))
	tests := []struct{ name, yaml, want string }{
		{"no token", "addr: 0.0.0.0:0", "token_file"},
		{"short token", "addr: 0.0.0.0:0\ntoken_file: " + short, "fewer than"},
		{"token file too large", "token_file: " + long, "larger than"},
		{"token file missing", "token_file: " + filepath.Join(dir, "none"), "none"},
		{"token file is a folder", "token_file: " + dir, "not a regular file"},
		{"script missing", "scripted: {script: " + filepath.Join(dir, "none") + "}", "scripted.script"},
		{"script is a folder", "scripted: {script: " + dir + "}", "not a regular file"},
		{"instruction root incomplete", "instructions: " + dir, "INSTRUCTION_ROOT_INVALID"},
		{"instruction file too large", "instructions: " + filepath.Join(dir, "root"), "PERSONA_NOT_FOUND"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := load(t, tt.yaml)
			home := t.TempDir()
			cfg.Paths.StateDir, cfg.Paths.CacheDir = filepath.Join(home, "state"), filepath.Join(home, "cache")
			if err := try(cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

// The doctor reads instruction files within the limit that turns have.
func TestDoctorReadsInstructions(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	names := []string{"AGENTS.md", "README.md", "docs/DIRECTIVE.md", "docs/CONTRACT.md", "docs/SPEC.md", "docs/TYPES.md", "docs/PLAN.md", "agents/AGENT_BIG.md"}
	for _, name := range names {
		size := 1000
		if strings.HasSuffix(name, "_BIG.md") {
			size = persona.MaxFileBytes + 1
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c := instructions(load(t, "instructions: "+root))
	if c.Level != Notice || !strings.Contains(c.Detail, "AGENT_BIG.md: cannot be read") || c.Next == "" {
		t.Errorf("%+v", c)
	}
	if c := instructions(load(t, "")); c.Level != OK || c.Detail != "the embedded set" {
		t.Errorf("the embedded set: %+v", c)
	}
}

// try does what a server does until it would listen.
func try(cfg *config.Config) (err error) {
	a, err := Open(cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(context.Background())) }()
	if _, err := accessToken(a.Config); err != nil {
		return err
	}
	_, err = a.Root.Persona("BIG")
	return err
}

// OpenAI has none of Anthropic's models, and any other is somebody's wish. The scripted
// provider is no model but itself.
func TestDefaultModel(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		"":                             "scripted",
		"default_model: claude-opus-5": "scripted",
		"provider: anthropic":          "claude-sonnet-5",
		"provider: openai":             "gpt-5-mini",
		"provider: openai\nopenai: {model: qwen3}":       "qwen3",
		"provider: openai\ndefault_model: llama3.2":      "llama3.2",
		"provider: anthropic\nopenai: {model: qwen3}":    "claude-sonnet-5",
		"provider: openai\ndefault_model: claude-opus-5": "gpt-5-mini",
	} {
		if got := defaultModel(load(t, settings)); got != want {
			t.Errorf("%q: %s, want %s", settings, got, want)
		}
	}
}

// A server takes no token that clients cannot send.
func TestTokensAreOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Repeat("x", 16) + "\n":                           "",
		strings.Repeat("x", 15):                                  "fewer than 16",
		strings.Repeat("x", 16) + "\n" + strings.Repeat("y", 16): "one line",
		strings.Repeat("x", 16) + " y":                           "one line",
		strings.Repeat("é", 16):                                  "one line",
		strings.Repeat("x", maxTokenFile+1):                      "one line",
	} {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a := App{Config: &config.Config{TokenFile: path}}
		token, err := accessToken(a.Config)
		if want == "" && (err != nil || token != strings.TrimSpace(text)) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %.40q, %v", text, token, err)
		}
	}
}
