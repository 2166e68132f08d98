package app

import (
	"context"
	"os"

	"belay/internal/config"
	"belay/internal/tool/shell"
)

// commands tells what this machine holds of the commands that agents run: it is
// found out by trying.
func commands(ctx context.Context, cfg *config.Config) []Check {
	if cfg.Paths.StateDir == "" {
		return nil
	}
	if !cfg.Bash.Enabled {
		return []Check{{Name: "commands", Level: OK, Detail: "agents run none (bash.enabled)"}}
	}
	o := shellOptions(cfg)
	o.Environ = os.Environ()
	sh := shell.New(o)
	report, err := sh.Report(ctx)
	if err != nil {
		return []Check{{Name: "commands", Level: Problem, Detail: "what holds commands could not be found out: " + err.Error(), Next: "run belay doctor again"}}
	}
	c := Check{Name: "commands", Level: OK, Detail: report.Summary()}
	if report.Unconfined {
		c.Level, c.Next = Notice, "every command is asked about; on Linux, a kernel with Landlock or user namespaces holds them"
	}
	checks := []Check{c}
	if program, err := os.Executable(); err == nil {
		checks = append(checks, apparmor(report, apparmorSwitch, program)...)
	}
	if len(cfg.Bash.LocalPorts) > 0 && cfg.Bash.OwnNetwork() && !report.OwnNetwork {
		checks = append(checks, Check{
			Name: "commands", Level: Notice, Detail: "commands reach none of bash.local_ports: that needs namespaces, which this machine does not let belay make", Next: "see docs/sandbox.md",
		})
	}
	for _, open := range report.Open {
		checks = append(checks, Check{Name: "commands", Level: Notice, Detail: open, Next: "see docs/sandbox.md"})
	}
	return checks
}
