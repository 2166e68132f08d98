package settings

import (
	"cmp"
	"context"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	_ "belay/internal/cli" // results of tests are kept: another program is to be tested anew
	"belay/internal/config"
	"belay/internal/tool/mcp/mcptest"
	testprogram "belay/test/program"
)

// patience bounds every wait for what must happen; only a failure reaches it.
const patience = 5 * time.Minute

// program is belay, built for all tests: without what finds races, which would make
// the largest pictures take minutes.
var program string

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "serve-mcp" {
		os.Exit(mcptest.Main())
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "belay-")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if program, err = testprogram.Build(context.Background(), dir); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// check proves that a setting acts. It looks at the edge twice: with the default,
// and with the setting.
type check struct {
	set  string   // the value that is tried, as YAML
	also settings // of both looks
	// see does something and returns what a user, a client, a provider or the disk
	// then shows.
	see func(b *bench) string
	// shows is a pattern of what is seen with the setting, without of what is seen
	// with the default. Neither may be seen in the other case.
	shows, without string
}

// settings are values by key, as YAML.
type settings map[string]string

// tables are the checks of all settings.
var tables = []map[string]check{
	general, serving, observing, streaming, turning, retrying,
	attaching, rendering, declaring, typing,
	recording, busing, discording, projects, making, workflows, delegating, tools, commands,
}

// elsewhere are the settings of which other tests look at the edge.
var elsewhere = regexp.MustCompile(`^(anthropic|openai|permit)\.|^(prices|models)$`)

// Every setting acts, at the edge.
func TestEverySettingActsAtItsEdge(t *testing.T) {
	t.Parallel()
	checks := map[string]check{}
	for _, table := range tables {
		for name, c := range table {
			if _, twice := checks[name]; twice {
				t.Errorf("%s has two checks", name)
			}
			checks[name] = c
		}
	}
	for _, s := range config.Reference() {
		if _, ok := checks[s.Key]; !ok && !elsewhere.MatchString(s.Key) {
			t.Errorf("%s: nothing shows that it acts; add a check", s.Key)
		}
	}
	known := map[string]bool{}
	for _, s := range config.Reference() {
		known[s.Key] = true
	}
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		if !known[name] {
			t.Errorf("%s is no setting", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checks[name].run(t, name)
		})
	}
}

func (c check) run(t *testing.T, name string) {
	shows, without := regexp.MustCompile("(?s)"+c.shows), regexp.MustCompile("(?s)"+c.without)
	look := func(set bool) string {
		b := newBench(t, c.also)
		if b.standard = !set; set {
			b.settings[name] = c.set
		}
		return c.see(b)
	}
	if got := look(false); !without.MatchString(got) || shows.MatchString(got) {
		t.Errorf("by default, want %q and not %q:\n%s", c.without, c.shows, cut(got))
	}
	if got := look(true); !shows.MatchString(got) || without.MatchString(got) {
		t.Errorf("with %s, want %q and not %q:\n%s", c.set, c.shows, c.without, cut(got))
	}
}

// cut is as much of a text as a failure needs.
func cut(s string) string {
	const most = 6000
	if len(s) <= most {
		return cmp.Or(s, "(nothing)")
	}
	return s[:most/2] + "\n…\n" + s[len(s)-most/2:]
}
