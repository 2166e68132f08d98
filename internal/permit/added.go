package permit

import (
	"slices"
	"sync"
)

// AddedRules are rules of calls that need no decision which a person adds while turns run.
// They hold for each call that is judged afterwards, in every turn of the process. It is
// safe for concurrent use, and a nil one has none.
type AddedRules struct {
	mu    sync.Mutex
	rules []Rule
}

// Add adds rules.
func (a *AddedRules) Add(rules ...Rule) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rules = slices.Concat(a.rules, rules)
}

// after are some rules with those that were added.
func (a *AddedRules) after(rules []Rule) []Rule {
	if a == nil {
		return rules
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Concat(rules, a.rules)
}
