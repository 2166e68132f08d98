package config

import (
	"cmp"
	"path/filepath"
	"runtime"
)

// Options is everything that [Load] may look at.
type Options struct {
	// Env is the whole environment, as [Environ] makes it.
	Env map[string]string
	// Flags are the settings given on the command line, in order.
	Flags []Flag
	// ConfigFile is the value of --config: a file that must exist. Without one
	// BELAY_CONFIG, and then config.yaml in the user's folder, is read if it
	// is there.
	ConfigFile string
	// Home is the user's home folder, "" when there is none.
	Home string
	// Dir is the working directory, absolute: relative paths of variables and
	// flags start there, and it is the project when nothing names another.
	Dir string
	// System replaces runtime.GOOS in tests.
	System string
	// CheckRule says more about a rule of a permit setting or a hook than its shape does; nil
	// says nothing. A rule that it refuses is a problem of the setting.
	CheckRule func(setting, rule string) error
}

// Flag is one setting from the command line.
type Flag struct {
	// Key is the setting, Name how the user wrote it: "--max-cost".
	Key, Name string
	Value     string
}

// layers is what was read once, so that the same settings can be checked again
// for another project.
type layers struct {
	o         Options
	dir, file string
	user      *file
	// plain is the result without any project file.
	plain *Config
}

// Load reads the user's file and the project's and combines every layer. The
// error, if any, is an [*Error] with every problem found; the Config is then nil.
func Load(o Options) (*Config, error) {
	c, problems := Examine(o)
	if len(problems) > 0 {
		return nil, &Error{Problems: problems}
	}
	return c, nil
}

// Examine is [Load] for commands that explain a configuration: it returns every
// problem and the settings all the same. What a problem is about has the value
// of the next weaker layer. With problems, the Config is for showing, not for
// working with.
func Examine(o Options) (*Config, []Problem) {
	l, asked := newLayers(o)
	l.user = readUser(l.file, asked)
	c, problems := l.build(nil)
	l.plain = c
	if project := readProject(c.projectDir(o.Dir)); project != nil {
		c, problems = l.build(project)
	}
	return c, problems
}

// newLayers finds the user's file, and whether somebody asked for that very one.
func newLayers(o Options) (l *layers, asked bool) {
	o.System = cmp.Or(o.System, runtime.GOOS)
	l = &layers{o: o, dir: configFolder.in(o.System, o.Env, o.Home)}
	switch {
	case o.ConfigFile != "":
		return l.at(absolute(o.ConfigFile, o.Dir)), true
	case o.Env["BELAY_CONFIG"] != "":
		return l.at(absolute(o.Env["BELAY_CONFIG"], o.Dir)), true
	case l.dir != "":
		return l.at(filepath.Join(l.dir, userFile)), false
	}
	return l, false
}

func (l *layers) at(file string) *layers { l.file = file; return l }

// projectDir is the folder whose belay.yaml counts.
func (c *Config) projectDir(dir string) string {
	if c.Project != "" {
		return c.Project
	}
	return dir
}

// ForProject returns the settings as they are for another project: the same
// layers, tightened by that project's belay.yaml instead. A server calls it for
// the project of a session. The error is an [*Error].
func (c *Config) ForProject(dir string) (*Config, error) {
	project := readProject(dir)
	if project == nil {
		return c.Plain(), nil
	}
	p, problems := c.layers.build(project)
	if len(problems) > 0 {
		return nil, &Error{Problems: problems}
	}
	return p, nil
}

// Plain returns the settings of a project without a belay.yaml, always the same
// Config.
func (c *Config) Plain() *Config { return c.layers.plain }

// build combines the layers, weakest first. It goes on after a problem, so that
// all are found; the Config is usable only when there are none.
func (l *layers) build(project *file) (*Config, []Problem) {
	c := &Config{layers: l}
	b := &builder{keys: settings(c), byName: map[string]*key{}}
	for _, k := range b.keys {
		b.byName[k.name] = k
		k.checkRules(l.o.CheckRule)
		b.assign(k, k.def, "", "default")
	}
	b.defaultPaths(l)
	c.Paths.ConfigFile, c.Paths.ConfigDir = l.file, l.dir
	if project != nil {
		b.suggested(project)
	}
	b.read(l.user)
	b.environment(l.o.Env, l.o.Dir)
	for _, f := range l.o.Flags {
		k := b.byName[f.Key]
		if r, ok := removedSetting(f.Key); ok {
			b.ignore(r, "flag "+f.Name)
			continue
		}
		if k == nil {
			b.problem("flag "+f.Name, f.Key, "is not a setting", suggest(f.Key))
			continue
		}
		b.assign(k, f.Value, l.o.Dir, "flag "+f.Name)
	}
	b.mcpRules(c, l.user)
	b.hookRules(c, l.o.CheckRule)
	if project != nil {
		b.tightened(project, l.o.CheckRule)
	}
	c.Keys.Anthropic = secret(l.o.Env, "ANTHROPIC_API_KEY", "CHIRALITY_ANTHROPIC_API_KEY")
	c.Keys.OpenAI = secret(l.o.Env, "OPENAI_API_KEY")
	c.Keys.Discord = secret(l.o.Env, discordToken)
	for _, name := range keyVariables {
		if s := secret(l.o.Env, name); s.Set() {
			c.Keys.add(s, true)
		}
	}
	b.mcpEnvironment(c, l.o.Env)
	b.crossChecks(c)
	c.Warnings = b.warnings
	c.rows = b.rows(c)
	return c, b.problems
}

// keyVariables are the variables with keys of belay's own.
var keyVariables = []string{"ANTHROPIC_API_KEY", "CHIRALITY_ANTHROPIC_API_KEY", "OPENAI_API_KEY", discordToken}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) || dir == "" {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
