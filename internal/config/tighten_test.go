package config

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// One row for every way in which a project's value meets somebody else's.
func TestTighten(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key, mine, project, want string
		warns                    bool
	}{
		{"turn.max_turns", "", "10", "10", false},
		{"turn.max_turns", "", "500", "50", true}, // never looser than the default
		{"turn.max_turns", "5", "10", "5", true},
		{"turn.max_turns", "20", "10", "10", false},
		{"turn.max_turns", "10", "10", "10", false},
		{"turn.stall_timeout", "1h", "2m", "2m", false},
		{"turn.stall_timeout", "1m", "2m", "60s", true},
		{"turn.max_cost_usd", "", "0.5", "0.5", false}, // 0 is no limit, so anything is stricter
		{"turn.max_cost_usd", "2", "0.5", "0.5", false},
		{"turn.max_cost_usd", "0.1", "0.5", "0.1", true},
		{"turn.max_cost_usd", "2", "0", "2", true}, // and 0 is never stricter
		{"turn.max_tokens", "", "1000", "1000", false},
		{"turn.max_tokens", "10", "1000", "10", true},
		{"turn.instructions_bytes", "", "0", "0", false}, // here 0 is nothing, the strictest
		{"attachments.file_bytes", "20MiB", "1MiB", "1MiB", false},
		{"attachments.file_bytes", "", "20MiB", "10MiB", true},
		{"attachments.roots", "", "project", "project", false},
		{"attachments.roots", "any", "auto", "auto", false},
		{"attachments.roots", "project", "any", "project", true},
		{"attachments.roots", "auto", "any", "auto", true},
		{"attachments.extensions", "", ".png", ".png", false},
		{"attachments.extensions", ".png, .pdf", ".pdf, .docx", ".pdf", false},
		{"attachments.extensions", ".png", ".png, .pdf", ".png", true},
		{"attachments.extensions", "", "[]", "", false},
		{"subagents.enabled", "true", "false", "false", false},
		{"subagents.enabled", "false", "true", "false", true},
	}
	for _, tt := range tests {
		for _, layer := range []string{"user", "env", "flag"} {
			t.Run(fmt.Sprintf("%s %s by %s against %s", tt.key, tt.mine, layer, tt.project), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				origin := "default"
				if tt.mine != "" {
					switch layer {
					case "user":
						origin = w.user(tt.key+": "+tt.mine+"\n") + ":1"
					case "env":
						name := "BELAY_" + strings.ToUpper(strings.ReplaceAll(tt.key, ".", "_"))
						w.o.Env[name] = tt.mine
						origin = "env " + name
					case "flag":
						w.o.Flags = []Flag{{tt.key, "--x", tt.mine}}
						origin = "flag --x"
					}
				}
				file := w.belay(tt.key + ": " + tt.project + "\n")
				c := w.load()
				r := row(t, c, tt.key)
				if r.Value != tt.want {
					t.Fatalf("%s is %q from %q, want %q", tt.key, r.Value, r.Origin, tt.want)
				}
				if tt.warns != (len(c.Warnings) == 1) {
					t.Errorf("warnings = %q, want one: %v", c.Warnings, tt.warns)
				}
				tightened := r.Origin == file+":1"
				if tightened && tt.warns || !tightened && r.Origin != origin {
					t.Errorf("origin %q, want %q or the project's file", r.Origin, origin)
				}
			})
		}
	}
}

// Whatever a project says, no limit is looser than without it.
func TestProjectNeverLoosens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(0, 1<<30)
		none := rapid.Bool().Draw(t, "0 is no limit")
		bind := func(p *int64) limit[int64] {
			return limit[int64]{p: p, min: 0, max: 1 << 30, none: none, form: sizeForm}
		}
		mine, project := number.Draw(t, "mine"), number.Draw(t, "project")
		result := mine
		changed := bind(&result).tighten(bind(&project))
		loose := func(n int64) int64 {
			if none && n == 0 {
				return 1 << 40
			}
			return n
		}
		if loose(result) != min(loose(mine), loose(project)) || changed != (result != mine) {
			t.Fatalf("%d against %d gave %d (changed %v)", mine, project, result, changed)
		}
	})
}
