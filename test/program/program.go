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
	name := filepath.Join(dir, "belay")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := Go(ctx, "build", "-ldflags=-s -w", "-o", name, "belay/cmd/belay").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build belay: %w\n%s", err, out)
	}
	return name, nil
}

// Go is a go build, list or vet with the flags of make build: what that compiled is not
// compiled again.
func Go(ctx context.Context, command string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", append([]string{command, "-trimpath"}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd
}
