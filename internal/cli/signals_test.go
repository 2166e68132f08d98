package cli

import (
	"testing"
	"testing/synctest"
	"time"
)

// A Ctrl-C in another program goes to belay too, and can come after that program has ended.
func TestLentTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &signals{}
		if s.taken() {
			t.Error("nothing was lent, and a Ctrl-C did not end the command")
		}
		back := s.lend()
		if time.Sleep(time.Hour); !s.taken() {
			t.Error("a Ctrl-C in the other program ended the command")
		}
		back()
		if !s.taken() {
			t.Error("a Ctrl-C that came a moment after the other program ended the command")
		}
		if time.Sleep(2 * lateInterrupt); s.taken() {
			t.Error("a Ctrl-C long after the other program did not end the command")
		}
	})
}
