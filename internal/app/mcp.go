package app

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/config"
	"belay/internal/permit"
	"belay/internal/tool/mcp"
	"belay/internal/turn"
)

// mcpOptions are the configured MCP servers, in the order of their names. Programs run in
// the state folder, where no agent can leave them anything, with the environment of hooks
// and the variables that the person named.
func mcpOptions(cfg *config.Config) mcp.Options {
	o := mcp.Options{Dir: cfg.Paths.StateDir}
	for _, name := range slices.Sorted(maps.Keys(cfg.MCP)) {
		s := cfg.MCP[name]
		o.Servers = append(o.Servers, mcp.Server{
			Name: name, Command: s.Command, Env: append(permit.HookEnv(os.Environ()), s.Variables...),
			URL: s.URL, Token: s.Token.Reveal(), TokenEnv: s.TokenEnv, Tools: s.Tools, Timeout: s.Timeout,
		})
	}
	return o
}

// mcpServers checks that the programs of MCP servers are there, and the variables that they
// get. Nothing is started. Told are the warnings of the configuration that the checks repeat.
func mcpServers(cfg *config.Config) (checks []Check, told []string) {
	for _, name := range slices.Sorted(maps.Keys(cfg.MCP)) {
		s := cfg.MCP[name]
		c := Check{Name: "mcp " + name, Level: OK}
		c.Detail, _, _ = strings.Cut(s.URL, "?") // some have a key behind it
		if len(s.Command) > 0 {
			c.Detail = s.Command[0] // a report has this line, and arguments can be names and keys
		}
		for _, v := range s.Unset {
			told = append(told, config.UnsetVariable(name, v))
		}
		if len(s.Unset) > 0 {
			all := strings.Join(s.Unset, " and ")
			c.Level, c.Detail = Notice, c.Detail+": it wants "+all+" from the environment, and nothing is set there"
			c.Next = "set " + all + " where belay starts, or correct mcp.servers." + name
		}
		if len(s.Command) > 0 {
			program(cfg, s.Command[0], &c, "mcp.servers."+name)
		}
		checks = append(checks, c)
	}
	return checks, told
}

// hookPrograms checks that the programs of hooks are there. Nothing is started.
func hookPrograms(cfg *config.Config) (checks []Check) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Hooks)) {
		c := Check{Name: "hook " + name, Level: OK, Detail: cfg.Hooks[name].Command[0]}
		program(cfg, c.Detail, &c, "hooks."+name)
		checks = append(checks, c)
	}
	return checks
}

// program notes that there is no program of a name, or at a path, for a setting. Hooks and MCP
// servers run in the state folder.
func program(cfg *config.Config, name string, c *Check, setting string) {
	if filepath.Base(name) != name && !filepath.IsAbs(name) {
		name = filepath.Join(cfg.Paths.StateDir, name)
	}
	if _, err := exec.LookPath(name); err != nil {
		c.Level, c.Detail, c.Next = Problem, "there is no program "+name, "install it, or correct "+setting
	}
}

// allTools are the names of the tools that turns can be offered, with patterns for those of
// programs outside.
func allTools(o turn.Options) []string {
	names := o.Tools.Names()
	if o.MoreTools != nil {
		names = slices.Concat(names, o.MoreTools.Names())
	}
	return names
}
