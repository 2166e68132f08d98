package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// target is a system that a program is made for.
type target struct{ system, arch string }

func (t target) String() string { return t.system + "/" + t.arch }

// program is the name of belay's file on the system.
func (t target) program() string {
	if t.system == "windows" {
		return "belay.exe"
	}
	return "belay"
}

// commit is what a release is made of.
type commit struct {
	// version is that of the tag, or one before every release.
	version string
	id      string
	time    time.Time
}

// release is one release that is being made.
type release struct {
	commit
	root, out string
	// work holds what goes into the files: documents in "share", each program in a folder of
	// its target.
	work string
	// images are the targets that the container image is made of.
	images []target
}

// readCommit reads the version and the time of the commit that is checked out.
func readCommit(ctx context.Context, root string) (commit, error) {
	id, err := output(ctx, root, "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return commit{}, err
	}
	at, err := output(ctx, root, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return commit{}, err
	}
	moment, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return commit{}, fmt.Errorf("the time of the commit: %w", err)
	}
	c := commit{version: "0.0.0-dev+" + id, id: id, time: moment.UTC()}
	if tag, err := output(ctx, root, "git", "describe", "--tags", "--exact-match", "--match", "v*"); err == nil {
		c.version = strings.TrimPrefix(tag, "v")
	}
	return c, nil
}

// build makes the program of a target, and returns its file.
func (r *release) build(ctx context.Context, t target) (string, error) {
	file := filepath.Join(r.work, t.system+"_"+t.arch, t.program())
	const cli = "belay/internal/cli"
	stamp := fmt.Sprintf("-s -w -buildid= -X %s.version=%s -X %s.commit=%s -X %s.date=%s",
		cli, r.version, cli, r.id, cli, r.time.Format(time.RFC3339))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", stamp, "-o", file, "./cmd/belay")
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+t.system, "GOARCH="+t.arch)
	return file, cmd.Run()
}

// documents makes the manual pages and the completion scripts.
func (r *release) documents(ctx context.Context) error {
	share := filepath.Join(r.work, "share")
	if err := os.MkdirAll(filepath.Join(share, "completions"), 0o755); err != nil {
		return err
	}
	if _, err := output(ctx, r.root, "go", "run", "./docs/gen", "-man", filepath.Join(share, "man"), "-date", r.time.Format(time.RFC3339)); err != nil {
		return err
	}
	program := filepath.Join(r.work, "belay") // for this machine, whatever the release is for
	if _, err := output(ctx, r.root, "go", "build", "-o", program, "./cmd/belay"); err != nil {
		return err
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script, err := output(ctx, r.root, program, "completion", shell)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(share, "completions", completionFiles[shell]), []byte(script+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// completionFiles are the names that shells look for.
var completionFiles = map[string]string{"bash": "belay.bash", "zsh": "_belay", "fish": "belay.fish", "powershell": "belay.ps1"}

// output runs a command and returns what it prints, without the blanks around it.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}
