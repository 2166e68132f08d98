package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/workspace"
)

func newProject(c *console) *cobra.Command {
	return group("project", "Create, list and check projects", "  belay project init bridge --decomposition bridge.md\n  belay project list bridge\n  belay project validate bridge",
		newProjectInit(c), newProjectList(c), newProjectStatus(c), newProjectValidate(c), newProjectWatch(c))
}

// projectArg is the project that a command names, or the one of its settings,
// checked and in normal form.
func projectArg(cfg *config.Config, args []string) (string, error) {
	dir := ""
	if len(args) > 0 {
		dir = args[0]
	}
	if dir == "" {
		var err error
		if dir, err = projectDir(cfg); err != nil {
			return "", err
		}
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", usage("%s: %v", dir, err)
	}
	return workspace.CheckProject(full, app.PrivateFolders(cfg)...)
}

// project are the settings of a command, and the project that it names.
func (c *console) project(cmd *cobra.Command, args []string) (*config.Config, string, error) {
	cfg, err := c.load(cmd)
	if err != nil {
		return nil, "", err
	}
	root, err := projectArg(cfg, args)
	return cfg, root, err
}
