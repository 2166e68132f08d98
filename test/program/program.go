// Package program builds belay for tests.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Build makes the program in a folder and returns its path.
func Build(ctx context.Context, dir string) (string, error) {
	name := file(dir, "belay")
	return name, run(Go(ctx, "build", "-ldflags=-s -w", "-o", name, "belay/cmd/belay"))
}

// BuildRaced makes the program with the race detector in a folder and returns its path.
func BuildRaced(ctx context.Context, dir string) (string, error) {
	name := file(dir, "belay-raced")
	cmd := Go(ctx, "build", "-race", "-o", name, "belay/cmd/belay")
	cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	return name, run(cmd)
}

func file(dir, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}

func run(build *exec.Cmd) error {
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build belay: %w\n%s", err, out)
	}
	return nil
}

// Go is a go build, list or vet with the flags of make build: what that compiled is not
// compiled again.
func Go(ctx context.Context, command string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", append([]string{command, "-trimpath"}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd
}
