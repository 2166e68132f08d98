package config

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// loadMCP loads a user's file with these servers.
func loadMCP(t *testing.T, servers string, env map[string]string) (*Config, []Problem) {
	t.Helper()
	w := newWorld(t)
	w.user("mcp:\n  servers:\n    files: " + servers + "\n")
	if env != nil {
		w.o.Env = env
	}
	return Examine(w.o)
}

// A server has a command or an address, and nothing that belongs to the other.
func TestMCPServers(t *testing.T) {
	t.Parallel()
	for servers, want := range map[string]string{
		"{}":                                                  "needs either a command or a url",
		"{command: [a], url: 'https://x.test'}":               "needs either a command or a url",
		"{command: ['']}":                                     "needs either a command or a url",
		"{command: cat}":                                      "expects a list of",
		"[]":                                                  "expects a mapping of command",
		"{command: [a], token_env: T}":                        "token_env belongs to a url",
		"{url: 'https://x.test', env: [T]}":                   "env belongs to a command",
		"{url: 'http://x.test'}":                              "must be https, or http on this machine",
		"{url: 'https://user:secret@x.test'}":                 "without user name and password",
		"{url: 'file:///etc/passwd'}":                         "is not an address",
		"{command: [a], env: [OPENAI_API_KEY]}":               "OPENAI_API_KEY is belay's own",
		"{command: [a], env: [belay_discord_token]}":          "is belay's own",
		"{command: [a], env: ['A=B']}":                        "is not the name of a variable",
		"{url: 'https://x.test', token_env: ''}":              "is not the name of a variable",
		"{command: [a], timeout: 1ms}":                        "files.timeout: must be from 1s to 1h",
		"{command: [a], tools: ['[']}":                        "is no pattern of names",
		"{command: [a], run: true}":                           `"run" is not one of`,
		"{command: [a], env: [T]}\n    Files: {command: [a]}": "is no name of a server",
	} {
		_, problems := loadMCP(t, servers, nil)
		if len(problems) != 1 || !strings.Contains(problems[0].String(), want) {
			t.Errorf("%s: %v, want %q", servers, problems, want)
		}
	}
}

// Variables come from the environment. What is secret by its name is a key, which nothing
// shows; one that is not set is said.
func TestMCPEnvironment(t *testing.T) {
	t.Parallel()
	c, problems := loadMCP(t, "{command: [a, b], env: [SITE_TOKEN, REGION, NONE], timeout: 90s}\n    far: {url: 'http://127.0.0.1:1/mcp', token_env: WORD}",
		map[string]string{"SITE_TOKEN": "s-123456", "REGION": "north", "WORD": "w-123456"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if s := c.MCP["files"]; !slices.Equal(s.Variables, []string{"SITE_TOKEN=s-123456", "REGION=north"}) || s.Timeout != 90*time.Second {
		t.Errorf("%+v", s)
	}
	if c.MCP["far"].Token.Reveal() != "w-123456" {
		t.Error("no token")
	}
	var keys []string
	for _, k := range c.Keys.All {
		keys = append(keys, k.Reveal())
	}
	if !slices.Equal(keys, []string{"w-123456", "s-123456"}) {
		t.Errorf("keys %q", keys)
	}
	if !slices.Equal(c.Warnings, []string{"mcp.servers.files: the environment variable NONE is not set"}) {
		t.Errorf("warnings %q", c.Warnings)
	}
	for _, r := range c.Show() {
		if strings.Contains(r.Value, "123456") {
			t.Errorf("%s shows %s", r.Key, r.Value)
		}
	}
}

// A rule names a server that there is; only a project's own may be about others.
func TestMCPRules(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"mcp.files.*": "", "mcp.files.read": "", "mcp.*": "", "MCP.Files.read": "",
		"mcp.fiels.*": "did you mean files?", "mcp.other.read": "mcp.servers has files", "mcp.files": "write mcp.files.* for all of them",
	} {
		w := newWorld(t)
		w.user("mcp: {servers: {files: {command: [a]}}}\npermit: {deny: ['" + rule + "']}\n")
		_, problems := Examine(w.o)
		if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.Contains(problems[0].String()+"; "+problems[0].Hint, want)) {
			t.Errorf("%s: %v, want %q", rule, problems, want)
		}
	}
	w := newWorld(t)
	w.belay("permit: {deny: [mcp.theirs.*]}\n")
	c, problems := Examine(w.o)
	if len(problems) > 0 || !slices.Equal(c.Permit.Deny, []string{"mcp.theirs.*"}) {
		t.Errorf("a project's rule: %v, %v", problems, c.Permit.Deny)
	}
}
