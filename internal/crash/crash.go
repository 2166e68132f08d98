// Package crash keeps a panic to the work in which it happened: a turn, a request, a message.
// Go ends the whole process when a goroutine panics, whoever waits for it. Here the one that
// waits gets the panic, and answers for it as for its own.
package crash

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Error is a panic, with the stack of its goroutine.
type Error struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Caught is f with an [*Error] in place of a panic.
func Caught(f func() error) func() error {
	return func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &Error{v, debug.Stack()}
			}
		}()
		return f()
	}
}

// Group is a [sync.WaitGroup] that hands on a panic. The zero value is ready.
type Group struct {
	// Stop, where set, is called at the first panic, before Wait returns. It ends what would
	// wait in vain for the goroutine that is gone.
	Stop func()

	all   sync.WaitGroup
	once  sync.Once
	first error
}

// Go runs f in a goroutine of the group.
func (g *Group) Go(f func()) {
	g.all.Go(func() {
		if err := Caught(func() error { f(); return nil })(); err != nil {
			g.once.Do(func() {
				g.first = err
				if g.Stop != nil {
					g.Stop()
				}
			})
		}
	})
}

// Wait waits for all goroutines of the group. It panics with the [*Error] of the first that did.
func (g *Group) Wait() {
	g.all.Wait()
	if g.first != nil {
		panic(g.first)
	}
}
