package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/permit"
)

// keyAnnotation marks a flag that is a setting by another name.
const keyAnnotation = "belay-config-key"

// setting adds a flag that sets a configuration key for this command. The
// configuration's own parser checks the value, so that a flag, a variable and a
// line in a file mean the same.
func setting(cmd *cobra.Command, name, key, doc string) {
	cmd.Flags().String(name, "", doc)
	f := cmd.Flags().Lookup(name)
	f.Annotations = map[string][]string{keyAnnotation: {key}}
}

// switching is [setting] for a setting that is true or false, whose flag needs no
// value.
func switching(cmd *cobra.Command, name, key, doc string) {
	f := cmd.Flags().VarPF(&given{isSwitch: true}, name, "", doc)
	f.Annotations = map[string][]string{keyAnnotation: {key}}
	f.NoOptDefVal = "true"
}

// usualFlags are the flags of settings of attachments that help shows.
var usualFlags = map[string]string{
	"attachments-max-download-size": "attach files of at most `SIZE`",
	"attachments-download-timeout":  "wait at most `DURATION` for a download",
	"attachments-max-redirects":     "follow at most `N` redirects of a download",
	"attachments-http-user-agent":   "be `NAME` to the servers that files come from",
	"attachments-ssrf-strict":       "download over https and from public hosts alone",
}

// attachmentFlags adds a flag for each setting of attachments, and --set for any
// setting, so that one command can have its own.
func attachmentFlags(cmd *cobra.Command) {
	for _, s := range config.Reference() {
		if !strings.HasPrefix(s.Key, "attachments.") {
			continue
		}
		v := &given{}
		f := cmd.Flags().VarPF(v, s.Flag, "", cmp.Or(usualFlags[s.Flag], s.Doc))
		f.Annotations = map[string][]string{keyAnnotation: {s.Key}}
		f.Hidden = usualFlags[s.Flag] == ""
		if v.isSwitch = s.Switch; s.Switch {
			f.NoOptDefVal = "true"
		}
	}
	cmd.Flags().Var(&assignments{}, "set", "use another value of a setting, `KEY=VALUE`; may be repeated (belay config show lists them)")
}

// given is the text of a setting's flag, which the configuration reads; that of a
// switch may be left out.
type given struct {
	text     string
	isSwitch bool
}

// Set implements pflag.Value.
func (g *given) Set(s string) error { g.text = s; return nil }

// String implements pflag.Value.
func (g *given) String() string { return g.text }

// Type implements pflag.Value.
func (g *given) Type() string {
	if g.isSwitch {
		return "bool"
	}
	return "string"
}

// assignments are the values of --set.
type assignments []config.Flag

// Set takes one.
func (a *assignments) Set(s string) error {
	key, v, ok := strings.Cut(s, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return errors.New("not KEY=VALUE")
	}
	*a = append(*a, config.Flag{Key: key, Name: "--set " + key, Value: v})
	return nil
}

// Type implements pflag.Value.
func (*assignments) Type() string { return "KEY=VALUE" }

// String implements pflag.Value.
func (*assignments) String() string { return "" }

// load reads the configuration as this command line has it.
func (c *console) load(cmd *cobra.Command) (*config.Config, error) {
	cfg, err := config.Load(c.layers(cmd))
	if wrong := (*config.Error)(nil); errors.As(err, &wrong) {
		return nil, wrongSettings(wrong.Problems, cmd)
	}
	return cfg, err
}

// loadOrNote is load for a command that gathers its problems. Where settings of this
// command line are wrong they are noted, and those that hold without them returned,
// so that the rest can be looked at; nil where there are none.
func (c *console) loadOrNote(cmd *cobra.Command, wrong *problems) *config.Config {
	o := c.layers(cmd)
	cfg, err := config.Load(o)
	bad := (*config.Error)(nil)
	if !errors.As(err, &bad) {
		wrong.add(err)
		return cfg
	}
	wrong.add(wrongSettings(bad.Problems, cmd))
	o.Flags = slices.DeleteFunc(o.Flags, func(f config.Flag) bool {
		return slices.ContainsFunc(bad.Problems, func(p config.Problem) bool { return p.Where == "flag "+f.Name })
	})
	if cfg, err = config.Load(o); err != nil {
		return nil
	}
	return cfg
}

// warnOfSettings reports settings that have no effect, such as a mistyped
// variable.
func (c *console) warnOfSettings(cfg *config.Config) {
	for _, w := range cfg.Warnings {
		c.warn(w)
	}
}

// layers are where this command line takes settings from.
func (c *console) layers(cmd *cobra.Command) config.Options {
	o := config.Options{Env: c.env, ConfigFile: c.configFile, CheckRule: permit.CheckRule}
	// Neither is needed as long as nothing relative to them is asked for.
	o.Dir, _ = os.Getwd()
	o.Home, _ = os.UserHomeDir()
	c.projectGiven = cmd.Flags().Changed("project")
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if all, ok := f.Value.(*assignments); ok {
			o.Flags = append(o.Flags, *all...)
		}
		if key := f.Annotations[keyAnnotation]; len(key) == 1 {
			o.Flags = append(o.Flags, config.Flag{Key: key[0], Name: "--" + f.Name, Value: f.Value.String()})
		}
	})
	return o
}

// wrongSettings is the failure of a command that cannot work with its settings.
// The hint of a single problem is the command's; several keep theirs beside them.
func wrongSettings(problems []config.Problem, cmd *cobra.Command) error {
	next := settingsStep(problems, cmd)
	if len(problems) == 1 {
		p := problems[0]
		return failed(ExitUsage, cmp.Or(p.Hint, next), errors.New(p.String()))
	}
	return failed(ExitUsage, next, &config.Error{Problems: problems})
}

// settingsStep is the next step after wrong settings, by where they are: belay config check sees
// no flag of another command.
func settingsStep(problems []config.Problem, cmd *cobra.Command) string {
	all := func(where string) bool {
		return !slices.ContainsFunc(problems, func(p config.Problem) bool { return !strings.HasPrefix(p.Where, where) })
	}
	switch {
	case all("flag --set "):
		return "correct the value of --set; belay config show lists the settings"
	case all("flag "):
		return "correct the value on the command line; " + cmd.CommandPath() + " --help says what it can be"
	case all("env ") && len(problems) == 1:
		return "correct or unset the environment variable " + strings.TrimPrefix(problems[0].Where, "env ") + "; belay config check looks again"
	}
	return "correct what is named above; belay config check looks again"
}

// closeGrace is how long a command waits until its own app is closed.
const closeGrace = 10 * time.Second

// withApp opens what a command works with, runs it, and closes everything again.
func (c *console) withApp(cmd *cobra.Command, run func(ctx context.Context, a *app.App) error) (err error) {
	cfg, err := c.load(cmd)
	if err != nil {
		return err
	}
	return c.within(cmd, cfg, slog.New(slog.DiscardHandler), run)
}

// appCommand is [console.withApp] as what a command runs.
func appCommand(c *console, run func(ctx context.Context, a *app.App, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error { return run(ctx, a, args) })
	}
}

// within is withApp for a configuration that was loaded before.
func (c *console) within(cmd *cobra.Command, cfg *config.Config, log *slog.Logger, run func(ctx context.Context, a *app.App) error) (err error) {
	a, err := app.Open(cfg, Version(), log)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), closeGrace)
		defer cancel()
		if cerr := a.Close(ctx); cerr != nil {
			err = errors.Join(err, fmt.Errorf("close: %w", cerr))
		}
	}()
	return run(cmd.Context(), a)
}

// withinOrNote is within for a command that gathers its problems.
func (c *console) withinOrNote(cmd *cobra.Command, cfg *config.Config, wrong *problems, run func(ctx context.Context, a *app.App) error) error {
	opened := false
	err := c.within(cmd, cfg, slog.New(slog.DiscardHandler), func(ctx context.Context, a *app.App) error {
		opened = true
		return run(ctx, a)
	})
	if !opened {
		wrong.add(err)
		return wrong.err()
	}
	return err
}

// jsonFlag adds --json.
func jsonFlag(c *console, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.json, "json", false, "print JSON on stdout")
}
