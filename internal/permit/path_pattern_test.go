package permit

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"
)

// A pattern of paths matches what its definition says, part by part, for all short patterns and
// paths that chance makes of a few parts.
func TestPathPatterns(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	pick := func(parts ...string) string {
		picked := make([]string, 1+chance.IntN(5))
		for i := range picked {
			picked[i] = parts[chance.IntN(len(parts))]
		}
		return strings.Join(picked, "/")
	}
	matched := 0
	for range 20_000 {
		pattern, name := pick("a", "A", "**", "*", "?b"), pick("a", "A", "ab", "b")
		want := definedMatch(strings.Split(path.Clean(pattern), "/"), strings.Split(path.Clean(name), "/"))
		if got := splitPath(pattern).match(name); got != want {
			t.Fatalf("%q matches %q: %v, not %v", pattern, name, got, want)
		}
		lower := definedMatch(strings.Split(strings.ToLower(path.Clean(pattern)), "/"), strings.Split(strings.ToLower(path.Clean(name)), "/"))
		if got := newDenial(splitPath(pattern)).denies(name); got != lower {
			t.Fatalf("a denial of %q hits %q: %v, not %v", pattern, name, got, lower)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matched", matched)
	}
}

// definedMatch is the definition of a match.
func definedMatch(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return definedMatch(pattern[1:], name) || len(name) > 0 && definedMatch(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	part, err := path.Match(pattern[0], name[0])
	return err == nil && part && definedMatch(pattern[1:], name[1:])
}

func TestDenialsOfPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, hits, spares string
	}{
		{"secrets/", "secrets/a/b", "secret"},
		{"/secrets/**", "Secrets/a", "a/secrets/b"},
		{"/", "a/b", ""},
		{"/etc/**", "/ETC/passwd", "a/etc"},
		{"**/.env*", "a/.env.local", "a/env"},
	} {
		r, err := ParseRule("read(" + c.pattern + ")")
		if err != nil {
			t.Fatal(err)
		}
		if !r.denied.denies(c.hits) || c.spares != "" && r.denied.denies(c.spares) {
			t.Errorf("%s hits %s: %v; hits %s: %v", r, c.hits, r.denied.denies(c.hits), c.spares, r.denied.denies(c.spares))
		}
	}
}
