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

// bugReport is what a maintainer needs to know of a machine.
type bugReport struct {
	Build  buildInfo   `json:"build"`
	Checks []app.Check `json:"checks"`
	// Settings are those that somebody set.
	Settings []setSetting `json:"settings"`
}

// setSetting is a setting that is not at its default. Source is flag, env or file.
type setSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

func newBugreport(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bugreport",
		Short: "Print what a maintainer needs to know of this machine",
		Long: `Print a report for an issue: versions, what belay doctor says, which settings differ from
their defaults, and the modules in the program. It has no messages, no names of your files and no
keys. Your home folder stands as ~, and settings with free text only show that they are set.
Read it before you send it.`,
		Example: "  belay bugreport > report.md\n  belay bugreport --json",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "look at the project in `DIR`")
	setting(cmd, "provider", "provider", "look at the provider `NAME`")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, problems := config.Examine(c.layers(cmd))
		r := bugReport{Build: readBuild(), Checks: app.Doctor(cmd.Context(), cfg, problems...), Settings: setSettings(cfg)}
		text := r.text()
		if c.json {
			var b strings.Builder
			if err := encodeJSON(&b, r); err != nil {
				return err
			}
			text = b.String()
		}
		c.write(anonymous(text, cfg))
		return cmd.Context().Err()
	}
	return cmd
}

// text is the report as Markdown.
func (r bugReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# belay %s\n\n%s\n\n## Checks\n\n", r.Build.Version, r.Build.about())
	for _, k := range r.Checks {
		fmt.Fprintf(&b, "- %s: %s: %s\n", k.Level, k.Name, k.Detail)
	}
	b.WriteString("\n## Settings that differ from their defaults\n\n")
	for _, s := range r.Settings {
		fmt.Fprintf(&b, "- %s: %s (%s)\n", s.Key, s.Value, s.Source)
	}
	if len(r.Settings) == 0 {
		b.WriteString("none\n")
	}
	b.WriteString("\n## Modules\n\n")
	for _, m := range r.Build.Dependencies {
		fmt.Fprintf(&b, "- %s %s\n", m.Module, m.Version)
	}
	return b.String()
}

// setSettings are the settings that somebody set. Numbers, sizes and switches are shown;
// other values may say more than a report should.
func setSettings(cfg *config.Config) []setSetting {
	plain := map[string]bool{"provider": true}
	for _, s := range config.Reference() {
		plain[s.Key] = plain[s.Key] || s.Limited || s.Switch
	}
	all := []setSetting{}
	for _, row := range cfg.Show() {
		source, _, _ := strings.Cut(row.Origin, " ")
		switch {
		case row.Origin == "default" || row.Value == row.Default:
			continue
		case source != "flag" && source != "env":
			source = "file"
		}
		s := setSetting{Key: row.Key, Value: "set", Source: source}
		if plain[row.Key] {
			s.Value = row.Value
		}
		all = append(all, s)
	}
	return all
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
