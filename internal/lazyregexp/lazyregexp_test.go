package lazyregexp_test

import (
	"sync"
	"testing"

	"belay/internal/lazyregexp"
)

func TestUsedFromSeveralGoroutines(t *testing.T) {
	t.Parallel()
	re := lazyregexp.New(`^[a-z]+$`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if !re.MatchString("word") || re.MatchString("Word") {
				t.Error("it matches other words than the expression")
			}
		})
	}
	all.Wait()
}

// A wrong expression is found by the tests of its package, without being used there.
func TestAWrongExpressionIsFoundByTests(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression was taken")
		}
	}()
	lazyregexp.New(`(`)
}
