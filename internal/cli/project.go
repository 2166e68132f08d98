package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/workspace"
)

func newProject(c *console) *cobra.Command {
	return group("project", "Create, list and check projects", "  belay project init bridge --decomposition bridge.md\n  belay project list --project bridge\n  belay project validate",
		newProjectInit(c), newProjectList(c), newProjectStatus(c), newProjectCoordination(c), newProjectValidate(c), newProjectWatch(c))
}

// projectFlag adds --project to a command about a project folder.
func projectFlag(cmd *cobra.Command) {
	setting(cmd, "project", "project", "work on the project in `DIR` (default: the one that encloses the current folder)")
}

// projectDir is the project folder of a command that takes one: the configured one, else
// the project that encloses the current folder, else that folder.
func projectDir(cfg *config.Config) (string, error) {
	if cfg.Project != "" {
		return cfg.Project, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", failed(ExitUsage, "name the project folder with --project", fmt.Errorf("the working folder is unknown: %w", err))
	}
	home, _ := os.UserHomeDir() // without one, nothing is known to be it
	return workspace.Enclosing(dir, home), nil
}

// projectRoot is [projectDir], checked and in normal form.
func projectRoot(cfg *config.Config) (string, error) {
	dir, err := projectDir(cfg)
	if err != nil {
		return "", err
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", usage("%s: %v", dir, err)
	}
	return workspace.CheckProject(full, app.PrivateFolders(cfg)...)
}

// settledRoot is [projectRoot] for a command that reads the project's files: what a process
// that died has left half done is completed or taken back first.
func settledRoot(ctx context.Context, c *console, cfg *config.Config) (string, error) {
	root, err := projectRoot(cfg)
	if err != nil {
		return "", err
	}
	switch err := app.SettleProject(ctx, cfg, root); {
	case ctx.Err() != nil:
		return "", err
	case fault.Is(err, fault.Overloaded):
		c.warn("somebody else changes files of the project, so what follows may be half of it; try again")
	case err != nil:
		c.warn("files of the project may be half changed: " + line(err.Error()) + "; see belay doctor")
	}
	return root, nil
}

// project are the settings of a command, and the project that it names, settled.
func (c *console) project(cmd *cobra.Command) (*config.Config, string, error) {
	cfg, err := c.load(cmd)
	if err != nil {
		return nil, "", err
	}
	root, err := settledRoot(cmd.Context(), c, cfg)
	return cfg, root, err
}
