package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// A file, whatever its bytes, gives either a Config that is within every bound
// or problems that name the file. As a project's file it never gives a Config
// with a looser limit than without it.
func FuzzFile(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, s := range seeds {
		data, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &layers{o: Options{Home: "/home/u", System: "linux"}, user: parsed("/home/u/config.yaml", data, nil)}
		c, problems := l.build(nil)
		for _, p := range problems {
			if !strings.HasPrefix(p.Where, "/home/u/config.yaml") || p.Message == "" || strings.ContainsFunc(p.String()+p.Hint, unicode.IsControl) {
				t.Fatalf("problem %+v", p)
			}
		}
		if len(problems) == 0 {
			again(t, c)
		}
		l = &layers{o: l.o, user: &file{}}
		before, _ := l.build(nil)
		after, problems := l.build(parsed("/p/belay.yaml", data, nil))
		if len(problems) > 0 {
			return
		}
		old, now := before.Turn, after.Turn
		if now.MaxTurns > old.MaxTurns || now.WallLimit > old.WallLimit || now.MaxCostUSD < 0 ||
			after.Attachments.FileBytes > before.Attachments.FileBytes || len(after.Attachments.Extensions) > len(before.Attachments.Extensions) ||
			after.Subagents.Enabled || after.Provider != before.Provider || after.Anthropic != before.Anthropic || after.OpenAI.BaseURL != before.OpenAI.BaseURL || after.Paths != before.Paths {
			t.Fatalf("a project's file loosened something:\n%+v\n%+v", before, after)
		}
	})
}

// again checks that every value is accepted in its normal form, unchanged.
func again(t *testing.T, c *Config) {
	t.Helper()
	values := map[string]string{}
	for _, r := range c.Show() {
		values[r.Key] = r.Value
	}
	for _, k := range settings(&Config{}) {
		if values[k.name] == "" {
			continue
		}
		if err := k.value.set(values[k.name], "/base"); err != nil || k.value.String() != values[k.name] {
			t.Fatalf("%s: %q is read back as %q, %v", k.name, values[k.name], k.value, err)
		}
	}
}

func TestLoadErrorType(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("x: 1")
	_, err := Load(w.o)
	var e *Error
	if !errors.As(err, &e) || strings.Count(err.Error(), "\n") != 0 {
		t.Errorf("one problem is not one line: %v", err)
	}
}
