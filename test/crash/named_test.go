//go:build crashtest

package crash

import (
	"slices"
	"strings"
	"testing"

	"belay/internal/durable"
)

// unpromised are scenarios that no answer rests on, and why there are.
var unpromised = map[string]string{
	"question":           "an event asks, and no answer: it is open again or its turn has ended",
	"token":              "a server that starts makes it",
	"channel of Discord": "Discord gets the answer, and no caller of belay",
	"journal":            "it needs the flushes that sessions make as well",
}

// untested are promises without a scenario that store something, and why.
var untested = map[string]string{
	"makeExample": "it is written as by hand, not by package durable",
}

// The documentation says that each line of what an answer promises is tested: it
// names scenarios that exist, and there is no other without a reason.
func TestPromisesNameScenarios(t *testing.T) {
	var names []string
	for i := range scenarios {
		if slices.Contains(names, scenarios[i].name) {
			t.Errorf("two scenarios are called %q", scenarios[i].name)
		}
		names = append(names, scenarios[i].name)
	}
	named := map[string]bool{}
	for _, p := range durable.Promises() {
		what := p.Route + p.Command
		if p.Scenarios == "" {
			if stores := p.Kill != "nothing is stored"; stores != (untested[what] != "") {
				t.Errorf("%s has no scenario, and stores something: %v", what, stores)
			}
			continue
		}
		for name := range strings.SplitSeq(p.Scenarios, ", ") {
			if named[name] = true; !slices.Contains(names, name) {
				t.Errorf("%s: there is no scenario %q", what, name)
			}
		}
	}
	for _, name := range names {
		if named[name] == (unpromised[name] != "") {
			t.Errorf("the scenario %q is named by a promise: %v, and explained: %q", name, named[name], unpromised[name])
		}
	}
	for name := range unpromised {
		if !slices.Contains(names, name) {
			t.Errorf("there is no scenario %q to explain", name)
		}
	}
}
