package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The linker sets version, commit and date (see the Makefile); they are empty in other
// builds. The date is that of the commit, so that two builds of it are equal.
var version, commit, date string

// buildInfo is how this program was built.
type buildInfo struct {
	Version string `json:"version"`
	// Commit and Date are the commit and its time, RFC 3339; empty where they are not known.
	Commit       string       `json:"commit,omitempty"`
	Date         string       `json:"date,omitempty"`
	Go           string       `json:"go"`
	System       string       `json:"system"`
	Dependencies []dependency `json:"dependencies"`
}

// dependency is a module that the program contains.
type dependency struct {
	Module  string `json:"module"`
	Version string `json:"version"`
}

// Version is the version of this program: that of the release, or of the module
// as the Go tool recorded it, or "devel".
func Version() string { return readBuild().Version }

// readBuild gathers what the linker and the Go tool recorded in this program.
func readBuild() buildInfo {
	b := buildInfo{Version: version, Commit: commit, Date: date, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if recorded := info.Main.Version; b.Version == "" && recorded != "(devel)" {
		b.Version = recorded
	}
	b.Version = cmp.Or(b.Version, "devel")
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && b.Commit == "":
			b.Commit = s.Value
		case s.Key == "vcs.time" && b.Date == "":
			b.Date = s.Value
		}
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Dependencies = append(b.Dependencies, dependency{m.Path, m.Version})
	}
	slices.SortFunc(b.Dependencies, func(x, y dependency) int { return strings.Compare(x.Module, y.Module) })
	return b
}

func newVersion(c *console) *cobra.Command {
	var dependencies bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version of belay, the commit and its date, the version of Go, and the system
that it was built for. --dependencies and --json list the modules in it.`,
		Example: "  belay version\n  belay version --dependencies\n  belay version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			if c.json {
				return c.writeJSON(b)
			}
			c.write("belay " + b.Version + " " + b.about() + "\n")
			if !dependencies {
				return nil
			}
			t := &table{heads: []string{"MODULE", "VERSION"}}
			for _, m := range b.Dependencies {
				t.add(m.Module, m.Version)
			}
			c.print(t, "no modules are recorded in this build")
			return nil
		},
	}
	cmd.Flags().BoolVar(&dependencies, "dependencies", false, "also list the modules in it")
	jsonFlag(c, cmd)
	return cmd
}

// about is what a line about the version says in brackets.
func (b buildInfo) about() string {
	var known []string
	if b.Commit != "" {
		known = append(known, "commit "+b.Commit)
	}
	if b.Date != "" {
		known = append(known, b.Date)
	}
	return "(" + strings.Join(append(known, b.Go, b.System), ", ") + ")"
}
