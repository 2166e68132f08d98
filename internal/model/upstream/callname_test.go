package upstream

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCleanNamesStay(t *testing.T) {
	t.Parallel()
	n := CallNames{MaxName: 64, MaxID: 40}
	n.Answer()
	for _, name := range []string{"read", "mcp__graph__list-all", strings.Repeat("x", 64)} {
		if got := n.Name(name); got != name {
			t.Errorf("the name %q became %q", name, got)
		}
	}
	if got := n.Call("toolu_01-A"); got != "toolu_01-A" || n.Result("toolu_01-A") != got {
		t.Errorf("the id became %q and its result %q", got, n.Result("toolu_01-A"))
	}
	any := CallNames{MaxName: 64, MaxID: 40, AnyID: true}
	any.Answer()
	if got := any.Call("functions.bash:0"); got != "functions.bash:0" {
		t.Errorf("the service's own id became %q", got)
	}
}

// Whatever a conversation has, the service gets ids that it takes, each once, and every
// result has the id of its call.
func TestCallNames(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	ids := rapid.SampledFrom([]string{
		"a", "a_2", "a_3", "a.b", "a b", "functions.bash:0", "é", "", strings.Repeat("x", 40), strings.Repeat("x", 41), strings.Repeat("x", 42),
	})
	rapid.Check(t, func(t *rapid.T) {
		n := CallNames{MaxName: 64, MaxID: 40}
		var all []string
		for range rapid.IntRange(1, 5).Draw(t, "answers") {
			n.Answer()
			asked := rapid.SliceOfN(ids, 0, 4).Draw(t, "ids")
			var calls []string
			for _, id := range asked {
				unique := n.Call(id)
				if !pattern.MatchString(unique) || slices.Contains(all, unique) {
					t.Fatalf("the id %q became %q after %q", id, unique, all)
				}
				all, calls = append(all, unique), append(calls, unique)
			}
			for i, id := range asked {
				if got := n.Result(id); got != calls[i] {
					t.Fatalf("the result of %q is that of %q, want %q", id, got, calls[i])
				}
			}
		}
		a, b := rapid.String().Draw(t, "a name"), rapid.String().Draw(t, "another")
		if x, y := n.Name(a), n.Name(b); !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(x) || a != b && x == y {
			t.Fatalf("the names %q and %q became %q and %q", a, b, x, y)
		}
	})
}

// The same id in every answer, as some servers write it, costs no more with each answer.
func TestManyCallsWithOneID(t *testing.T) {
	t.Parallel()
	n := CallNames{MaxName: 64, MaxID: 40}
	id := strings.Repeat("y", 40)
	seen := map[string]bool{}
	for range 50_000 {
		n.Answer()
		one := n.Call(id)
		if len(one) > 40 || seen[one] || n.Result(id) != one {
			t.Fatalf("an id is %q", one)
		}
		seen[one] = true
	}
}
