package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"belay/internal/openrouter/openroutertest"
)

// atTerminal starts the set-up on a terminal, for a service at another address.
func atTerminal(t *testing.T, service *openroutertest.Service, home string, env []string, args ...string) *terminal {
	t.Helper()
	program, err := exec.LookPath("belay-at")
	if err != nil {
		t.Fatal(err)
	}
	return startOnTerminal(t, program, t.TempDir(), loginEnv(home, env...), append([]string{service.URL, "10m"}, args...)...)
}

// loginPage is the address on the screen that a person opens.
func loginPage(x *terminal, service *openroutertest.Service) string {
	x.t.Helper()
	x.shows("waiting")
	page := regexp.MustCompile(`(?m)^` + service.URL + `/auth\?\S+$`).FindString(x.screen())
	if page == "" {
		x.t.Fatalf("there is no address:\n%s", x.screen())
	}
	return page
}

// A person chooses the gateway, logs in with a browser, and the next turn is answered with
// the key of the printed line.
func TestLoginOnATerminal(t *testing.T) {
	t.Parallel()
	service, home := openroutertest.New(t), t.TempDir()
	x := atTerminal(t, service, home, nil, "setup")
	x.shows(`3  openrouter +log in with your account, in the browser`)
	x.types("openrouter\n")
	x.shows(`(?s)Which model\?.*VENDOR/MODEL`)
	x.types("gpt\n")
	x.shows(`OpenRouter's names have the form`)
	x.types("some/model\n")
	visit(t, loginPage(x, service))
	x.shows(`(?s)answered.*some/model.*written.*config.yaml.*whoever has the key can spend.*\nexport OPENAI_API_KEY='` + openroutertest.Key + `'\n.*belay chat`)
	x.ends(ExitDone)
	keepsNoSecret(t, service, home)

	turn := atTerminal(t, service, home, []string{"OPENAI_API_KEY=" + openroutertest.Key}, "turn", "hello")
	turn.shows(`(?m)^OK$`)
	turn.ends(ExitDone)
	keepsNoSecret(t, service, home)
	again := atTerminal(t, service, home, nil, "setup", "--login")
	again.shows("waiting") // the model is that of the settings
	again.types("\x03")
	again.ends(ExitInterrupted)
}

// Where there is a screen, the browser is opened, without keys. Ctrl-C ends the wait.
func TestLoginIsLeft(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--login", "--no-browser"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			service, home, bin := openroutertest.New(t), t.TempDir(), t.TempDir()
			seen := filepath.Join(bin, "seen")
			script := "#!/bin/sh\n{ printf '%s\\n' \"$1\"; env; } > " + seen + ".part && mv " + seen + ".part " + seen + "\n"
			if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "DISPLAY=:7", "OPENAI_API_KEY=sk-not-a-real-key-4567", "BELAY_PROVIDER=openai"}
			x := atTerminal(t, service, home, env, "setup", "--login", flag, "--model", "some/model")
			page := loginPage(x, service)
			if flag == "--login" {
				var got []byte
				for begun := time.Now(); len(got) == 0; time.Sleep(10 * time.Millisecond) {
					if got, _ = os.ReadFile(seen); time.Since(begun) > patience {
						t.Fatal("no browser was opened")
					}
				}
				if !strings.HasPrefix(string(got), page+"\n") || !strings.Contains(string(got), "DISPLAY=:7") || strings.Contains(string(got), "4567") || strings.Contains(string(got), "BELAY_") {
					t.Errorf("the browser was started with\n%s", got)
				}
			}
			x.types("\x03")
			x.ends(ExitInterrupted)
			if _, err := os.Stat(seen); (err == nil) != (flag == "--login") {
				t.Errorf("a browser was opened: %v", err == nil)
			}
			if _, err := os.Stat(filepath.Join(home, "config/belay/config.yaml")); err == nil {
				t.Error("settings were written")
			}
		})
	}
}

// The line with the key is one that each shell takes, also from eval.
func TestKeyLinesWork(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			path := needsShell(t, shell)
			cmd := exec.Command(path, "-c", keyLine(shell, "OPENAI_API_KEY", openroutertest.Key)+"\nprintenv OPENAI_API_KEY")
			cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "TERM=dumb"}
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != openroutertest.Key+"\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	if got := keyLine("powershell", "OPENAI_API_KEY", "sk-x"); got != "$env:OPENAI_API_KEY = 'sk-x'" {
		t.Error(got)
	}
}
