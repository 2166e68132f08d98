package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The example is played in the chat, and a person answers with one key. Without a
// terminal it answers by itself, and says so.
func TestDemo(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../examples/play")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("belay")
	if err != nil {
		t.Fatal(err)
	}
	// place is a folder with the program, beside which the example is copied.
	place := func(t *testing.T) (belay string, env []string) {
		home := t.TempDir()
		belay = filepath.Join(home, "belay")
		if err := os.Symlink(program, belay); err != nil {
			t.Fatal(err)
		}
		return belay, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm", "USER=ana"}
	}
	check := func(t *testing.T, belay, screen string, words ...string) {
		for _, word := range words {
			if !strings.Contains(screen, word) {
				t.Errorf("%q is not shown:\n%s", word, screen)
			}
		}
		transcripts, err := filepath.Glob(filepath.Join(filepath.Dir(belay), "demo/project/.belay/sessions/*/transcript.jsonl"))
		if err != nil || len(transcripts) != 1 {
			t.Fatalf("transcripts: %v, %v", transcripts, err)
		}
		record, err := os.ReadFile(transcripts[0])
		for _, name := range []string{"site-plan.png", "brief.pdf", "levels.csv"} {
			if err != nil || !strings.Contains(string(record), name) {
				t.Errorf("%s is not on record, %v", name, err)
			}
		}
		deck, err := os.ReadFile(filepath.Join(filepath.Dir(belay), "demo/project/PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels/deck.csv"))
		if err != nil || !strings.Contains(string(deck), "D0,0.0,3.45") {
			t.Errorf("the deck holds %s, %v", deck, err)
		}
	}
	t.Run("on a terminal", func(t *testing.T) {
		t.Parallel()
		belay, env := place(t)
		x := startOnTerminal(t, "/bin/sh", t.TempDir(), env, script, belay, "demo")
		for _, line := range []string{"D4,18.0,3.40", "Camber at midspan"} {
			x.shows("(?s)" + line + ".*deny and say why") // the question takes the keys
			x.answers("y")
		}
		x.shows("(?s)the check passes.*531 out") // the line that ends a turn
		x.types("\x04")
		x.shows("The record is in plain files")
		x.ends(ExitDone)
		check(t, belay, "")
	})
	t.Run("on the page", func(t *testing.T) {
		t.Parallel()
		belay, env := place(t)
		cmd := exec.CommandContext(t.Context(), "/bin/sh", script, belay, "page", "--addr", "127.0.0.1:0")
		cmd.Env, cmd.SysProcAttr = env, &syscall.SysProcAttr{Setpgid: true}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(filepath.Dir(belay), "page")
		asks := func() bool {
			list := exec.CommandContext(t.Context(), belay, "decision", "list", "--json")
			list.Env = append(env, "XDG_CONFIG_HOME="+folder+"/config", "XDG_STATE_HOME="+folder+"/state", "XDG_CACHE_HOME="+folder+"/cache")
			said, err := list.Output()
			return err == nil && strings.Contains(string(said), "deck.csv")
		}
		for begun := time.Now(); !asks(); time.Sleep(100 * time.Millisecond) {
			if time.Since(begun) > patience {
				t.Fatal("no question waits on the page")
			}
		}
		// Ctrl-C reaches all of them.
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // with the signal's exit code
		if !strings.Contains(out.String(), "listening on http://127.0.0.1:") {
			t.Errorf("it said %s", out.String())
		}
	})
	t.Run("without one", func(t *testing.T) {
		t.Parallel()
		belay, env := place(t)
		cmd := exec.CommandContext(t.Context(), "/bin/sh", script, belay, "demo")
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		check(t, belay, string(out), "the demo allows what the agent asks for", `Received image "site-plan.png"`, `Received pdf "brief.pdf"`,
			`Received text "levels.csv"`, "allowed by ana: by the demo", "+D0,0.0,3.45", "which is not mine to change")
	})
}
