package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/redact"
)

func newBugreport(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bugreport",
		Short: "Print what a maintainer needs to know of this machine",
		Long: `Print a report for an issue: versions, what belay doctor says, which settings differ from
their defaults, and the modules in the program. It has no messages, no names of your files and no
keys. Your home folder stands as ~, and settings with free text only show that they are set.
Read it before you send it.`,
		Example: "  belay bugreport > report.md",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "look at the project in `DIR`")
	setting(cmd, "provider", "provider", "look at the provider `NAME`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, problems := config.Examine(c.layers(cmd))
		var b strings.Builder
		about := readBuild()
		fmt.Fprintf(&b, "# belay %s\n\n%s\n", about.Version, about.about())
		fmt.Fprintf(&b, "\n## Checks\n\n")
		for _, k := range app.Doctor(cmd.Context(), cfg, problems...) {
			fmt.Fprintf(&b, "- %s: %s: %s\n", k.Level, k.Name, k.Detail)
		}
		fmt.Fprintf(&b, "\n## Settings that differ from their defaults\n\n")
		b.WriteString(changedSettings(cfg))
		fmt.Fprintf(&b, "\n## Modules\n\n")
		for _, m := range about.Dependencies {
			fmt.Fprintf(&b, "- %s %s\n", m.Module, m.Version)
		}
		c.write(anonymous(b.String(), cfg))
		return cmd.Context().Err()
	}
	return cmd
}

// changedSettings lists the settings that somebody set. Numbers, sizes and switches are
// shown; other values may say more than a report should.
func changedSettings(cfg *config.Config) string {
	plain := map[string]bool{"provider": true}
	for _, s := range config.Reference() {
		plain[s.Key] = plain[s.Key] || s.Limited || s.Switch
	}
	var b strings.Builder
	for _, row := range cfg.Show() {
		source, _, _ := strings.Cut(row.Origin, " ")
		switch {
		case row.Origin == "default" || row.Value == row.Default:
			continue
		case source != "flag" && source != "env":
			source = "file"
		}
		value := "set"
		if plain[row.Key] {
			value = row.Value
		}
		fmt.Fprintf(&b, "- %s: %s (%s)\n", row.Key, value, source)
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

// anonymous is a text without keys, and without what names the person and their work: the
// project's folder and the home folder.
func anonymous(text string, cfg *config.Config) string {
	var secrets []string
	for _, s := range cfg.Keys.All {
		secrets = append(secrets, s.Reveal())
	}
	text = redact.New(secrets...).String(text)
	if project, err := projectDir(cfg); err == nil && len(project) > 1 {
		text = strings.ReplaceAll(text, project, "PROJECT")
	}
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		text = strings.ReplaceAll(text, home, "~")
	}
	return text
}
