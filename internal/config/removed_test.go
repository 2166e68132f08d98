package config

import (
	"strings"
	"testing"
)

// A file, a variable or a flag of an earlier version still counts for the rest, and a
// setting that it has and that is gone is named. One that limited something is an error.
func TestRemovedSettings(t *testing.T) {
	t.Parallel()
	for _, r := range removedSettings {
		if isSetting(r.name) || r.now == "" || r.doc == "" {
			t.Errorf("%s: %+v", r.name, r)
		}
		w := newWorld(t)
		section, last, _ := strings.Cut(r.name, ".")
		if section == "turn" {
			w.user("turn: {max_turns: 7, " + last + ": 5}\n")
		} else {
			w.user("turn: {max_turns: 7}\n" + section + ":\n  " + last + ": 5\n")
		}
		for _, env := range r.envs() {
			w.o.Env[env] = "5"
		}
		w.o.Flags = []Flag{{r.name, "--set " + r.name, "5"}}
		places := 2 + len(r.envs())
		c, problems := Examine(w.o)
		if got := row(t, c, "turn.max_turns").Value; got != "7" {
			t.Errorf("%s: beside it turn.max_turns is %s", r.name, got)
		}
		if r.instead == "" {
			if text := strings.Join(c.Warnings, "\n"); len(problems) > 0 || strings.Count(text, r.name+" has no effect any more; the value is always "+r.now) != places {
				t.Errorf("%s: problems %v, warnings\n%s", r.name, problems, text)
			}
			continue
		}
		if len(problems) != places || len(c.Warnings) > 0 {
			t.Errorf("%s: problems %v, warnings %q", r.name, problems, c.Warnings)
		}
		for _, p := range problems {
			if p.Key != r.name || !strings.Contains(p.Hint, r.instead) {
				t.Errorf("%s: %+v", r.name, p)
			}
		}
	}
}
