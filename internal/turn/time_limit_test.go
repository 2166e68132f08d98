package turn

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A limit counts the time in which nobody has paused it, and nothing else.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var rang atomic.Int32
		l := NewTimeLimit(time.Minute, func() { rang.Add(1) })
		check := func(what string, after time.Duration, want int32) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if n := rang.Load(); n != want {
				t.Errorf("%s: it rang %d times, want %d", what, n, want)
			}
		}
		check("at first", 40*time.Second, 0)
		l.Pause()
		l.Pause()
		check("paused", time.Hour, 0)
		l.Resume()
		check("still paused", time.Hour, 0)
		l.Resume()
		check("just before its end", 20*time.Second-time.Nanosecond, 0)
		check("at its end", time.Nanosecond, 1)
		l.Pause()
		l.Resume()
		check("afterwards", time.Hour, 1)

		l = NewTimeLimit(time.Minute, func() { rang.Add(1) })
		l.Pause()
		l.Stop()
		l.Resume()
		check("stopped", time.Hour, 1)
	})
	var none *TimeLimit
	none.Pause()
	none.Resume()
	none.Stop()
}
