package graph

import (
	"fmt"
	"testing"
	"time"
)

// chain is a graph in which each deliverable waits for the one before it.
func chain(n int) *Graph {
	all, deps := make([]Node, n), make([]Dependency, 0, n)
	for i := range n {
		all[i].ID = fmt.Sprintf("DEL-%07d", i)
		if i > 0 {
			deps = append(deps, need(all[i].ID, all[i-1].ID))
		}
	}
	return Build(all, deps)
}

// A chain ten times as deep takes about ten times as long; a search through all that is
// open at each deliverable takes a hundred times as long.
func TestDeepChain(t *testing.T) { //nolint:paralleltest // it measures time
	const small, large, most = 10_000, 100_000, 40
	least := func(n, times int) time.Duration {
		g := chain(n)
		best := time.Duration(0)
		for range times {
			began := time.Now()
			if a := g.Analyse(t.Context()); len(a.Order) != n || len(a.Cycles) > 0 {
				t.Fatalf("a chain of %d has %d steps and %d cycles", n, len(a.Order), len(a.Cycles))
			}
			if took := time.Since(began); best == 0 || took < best {
				best = took
			}
		}
		return best
	}
	if one, ten := least(small, 5), least(large, 3); ten > most*one {
		t.Errorf("a chain of %d takes %v, one of %d takes %v", small, one, large, ten)
	}
}
