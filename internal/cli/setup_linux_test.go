package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A person sets belay up at a terminal: wrong answers are asked about again, an empty one
// is what stands in brackets, and the settings are there for the next command.
func TestSetupOnATerminal(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: []", []string{"BELAY_SCRIPTED_SCRIPT=", "ANTHROPIC_API_KEY=sk-ant-not-real-0123"}, "setup")
	x.shows(`(?s)1  anthropic .*ANTHROPIC_API_KEY is set.*2  openai .*OPENAI_API_KEY is not set.*5  scripted`)
	x.shows(`number or name \[1\]`)
	x.types("7\n")
	x.shows("answer 1 to 5, or one of anthropic, openai, openrouter, local,")
	x.types("\x1b[A\n")
	x.ends(ExitUsage)
	again := x.another("setup")
	again.shows(`number or name \[1\]`)
	again.types("scripted\n")
	again.shows(`(?s)answered.*written.*config.yaml.*source <\(belay completion bash\).*belay chat`)
	again.ends(ExitDone)
	set := x.another("config", "get", "provider")
	set.shows("scripted")
	set.ends(ExitDone)
	if strings.Contains(x.screen()+again.screen(), "0123") {
		t.Error("the key is on the screen")
	}
}

// Ctrl-C at a question ends the set-up at once, and nothing is written.
func TestSetupIsLeft(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: []", nil, "setup")
	x.shows(`number or name \[1\]`)
	x.types("local\n")
	x.shows(`address of the server \[http://127.0.0.1:11434/v1\]`)
	x.types("\x03")
	x.ends(ExitInterrupted)
	for _, v := range x.cmd.Env {
		if dir, ok := strings.CutPrefix(v, "XDG_CONFIG_HOME="); ok {
			if _, err := os.Stat(filepath.Join(dir, "belay", "config.yaml")); err == nil {
				t.Error("settings were written")
			}
		}
	}
}

// A chat says at its start that the provider does not take the key.
func TestAWrongKeyAtTheStartOfAChat(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s: a check costs nothing", r.Method, r.URL)
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`))
	}))
	defer server.Close()
	x, _ := playOnTerminal(t, "turns: []", []string{"BELAY_ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=sk-ant-not-real-0123"}, "chat", "--provider", "anthropic")
	x.shows(`(?s)anthropic answered 401: invalid.*check[^:]*ANTHROPIC_API_KEY`)
	x.types("\x04")
	x.ends(ExitDone)
}

// The line that the set-up prints is one that each shell takes.
func TestShellLinesWork(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("belay")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "it's here")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "belay")); err != nil {
		t.Fatal(err)
	}
	for shell, check := range map[string]string{
		"bash": "complete -p belay && command -v belay",
		"zsh":  "print -r -- $_comps[belay] && command -v belay",
		"fish": "complete -c belay | string match -q -r __complete || complete -c belay; command -v belay",
	} {
		t.Run(shell, func(t *testing.T) {
			path := needsShell(t, shell)
			line := lineFor(shell, dir).Line
			if shell == "zsh" {
				line = "autoload -Uz compinit && compinit -u -d " + filepath.Join(t.TempDir(), "dump") + "\n" + line
			}
			cmd := exec.Command(path, "-c", line+"\n"+check)
			cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "XDG_CONFIG_HOME=" + t.TempDir(), "TERM=dumb"}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "belay") || !strings.Contains(string(out), dir) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// needsShell is the path of a shell; the test is skipped where there is none, but not in CI.
func needsShell(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("there is no " + name + " here")
	}
	return path
}
