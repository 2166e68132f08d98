package permit

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// stubs are the programs of the world in which bash runs the texts: they only
// note that they ran. What runs other programs is real.
var (
	stubs = []string{"rm", "ls", "git", "cat", "tee", "echo", "curl", "y", "x", "X", "st", "sudo", "evil"}
	reals = []string{"env", "timeout", "nice", "nohup", "xargs", "find", "sh", "bash"}
)

// The analysis is held against the shell itself: of a text that it says it has
// taken apart in full, bash runs no program that it did not name.
func TestBashRunsWhatWasSaid(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no bash here")
	}
	bin := t.TempDir()
	for _, name := range stubs {
		script := fmt.Sprintf("#!/bin/sh\necho %s >> \"$PERMIT_TEST_LOG\"\n", name)
		must(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700))
	}
	for _, name := range reals {
		if at, err := exec.LookPath(name); err == nil {
			must(t, os.Symlink(at, filepath.Join(bin, name)))
		}
	}
	ran := 0
	for text := range texts {
		cmds, opaque, network, err := ParseCommand(text)
		if err != nil || opaque || network || strings.Contains(text, "/dev/tcp") {
			continue
		}
		for _, name := range runs(t, shell, bin, text) {
			ran++
			if !slices.ContainsFunc(cmds, func(c Command) bool { return c.Name == name }) {
				t.Errorf("%q runs %s, which is none of %v", text, name, cmds)
			}
		}
	}
	if ran < 50 {
		t.Errorf("bash ran only %d programs: the test does not do what it should", ran)
	}
}

// runs returns the programs that bash ran for a text, in a folder of its own
// with nothing but the test's programs to be found.
func runs(t *testing.T, shell, bin, text string) []string {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, ".log")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	// What runs in the background is waited for.
	cmd := exec.CommandContext(ctx, shell, "-c", text+"\nwait")
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, []string{"PATH=" + bin, "PERMIT_TEST_LOG=" + log, "HOME=" + dir}, time.Second
	own(cmd)
	_ = cmd.Run() // many of the texts fail: what matters is what ran
	end(cmd)
	if ctx.Err() != nil {
		t.Errorf("%q did not end", text)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}
