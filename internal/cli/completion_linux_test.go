package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// large is a project of 10,000 deliverables, and an environment for shells in it.
func large(t *testing.T) (project string, env []string) {
	t.Helper()
	project = t.TempDir()
	for pkg := range 100 {
		for n := range 100 {
			dir := filepath.Join(project, fmt.Sprintf("PKG-%02d_Part", pkg), "1_Working", fmt.Sprintf("DEL-%02d-%02d_Thing_%d", pkg, n, n))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	program, err := exec.LookPath("belay")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return project, []string{
		"PATH=" + filepath.Dir(program) + ":/usr/bin:/bin", "HOME=" + home, "TERM=xterm", "LANG=C.UTF-8",
		"XDG_STATE_HOME=" + home + "/state", "XDG_CACHE_HOME=" + home + "/cache", "XDG_CONFIG_HOME=" + home + "/config",
	}
}

// Each shell completes the ids of a large project, and values of flags, by its own
// machinery. How long that takes is a row of docs/performance.md.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	project, env := large(t)
	t.Run("fish", func(t *testing.T) {
		path := needsShell(t, "fish")
		for line, want := range map[string]string{
			"belay project status DEL-42-1": "DEL-42-10", "belay turn --mode pl": "plan", "belay pers": "persona", "belay config get bash.max_w": "bash.max_write_bytes",
		} {
			cmd := exec.Command(path, "-c", "belay completion fish | source\ncomplete -C '"+line+"'")
			cmd.Env, cmd.Dir = env, project
			out, err := cmd.CombinedOutput()
			var values []string
			for offer := range strings.Lines(string(out)) {
				value, _, _ := strings.Cut(strings.TrimSpace(offer), "\t")
				values = append(values, value)
			}
			if err != nil || !slices.Contains(values, want) || slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, "DEL-41") }) {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	})
	for shell, start := range map[string]string{
		"zsh":  "autoload -Uz compinit && compinit -u -d $HOME/dump; source <(belay completion zsh); PS1=ready:",
		"bash": "source /usr/share/bash-completion/bash_completion; source <(belay completion bash); PS1=ready:",
	} {
		t.Run(shell, func(t *testing.T) {
			path := needsShell(t, shell)
			args := map[string][]string{"zsh": {"-f", "-i"}, "bash": {"--noprofile", "--norc", "-i"}}[shell]
			if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); err != nil && shell == "bash" {
				t.Skip("there is no bash-completion here")
			}
			x := startOnTerminal(t, path, project, env, args...)
			x.types(start + "\r")
			x.shows(`(?m)^[^=]*ready:`)
			x.types("belay turn --mode pl\t")
			x.shows(`--mode plan`)
			x.types("\x15belay project status DEL-42-7\t\t")
			x.shows(`(?s)DEL-42-70.*DEL-42-79`)
			x.types("\x15exit\r")
			x.ends(0)
		})
	}
}
