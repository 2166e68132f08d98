package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"belay/internal/discord"
)

// burst has ada mention the bot, and say more without naming it.
func (w *world) burst() {
	w.mention("message 0.")
	for n := range 59 {
		w.Say(w.channel, w.ada, fmt.Sprintf("message %d.", n+1))
	}
}

// allRequested waits until each message of a burst is in a request.
func (w *world) allRequested() {
	w.t.Helper()
	missing := ""
	defer func() {
		if w.t.Failed() {
			w.t.Logf("missing: %s", missing)
		}
	}()
	w.agent.until("all requests", func() bool {
		all := ""
		for _, r := range w.agent.requests {
			all += text(r) + "\n"
		}
		missing = ""
		for n := range 60 {
			if !strings.Contains(all, fmt.Sprintf("message %d.", n)) {
				missing += fmt.Sprint(" ", n)
			}
		}
		return missing == ""
	})
}

// More messages than one request takes become another one, also where only the first of all
// names the bot: of what was said while belay was away, of what waits on record, and where the
// process dies after the first request.
func TestMoreThanOneRequestTakes(t *testing.T) {
	t.Parallel()
	t.Run("missed", func(t *testing.T) {
		t.Parallel()
		w := start(t, nil)
		w.mention("before")
		w.agent.requested(1)
		w.down()
		w.burst()
		w.up()
		w.allRequested()
	})
	hour := func(o *discord.Options) { o.Debounce = time.Hour }
	t.Run("on record", func(t *testing.T) {
		t.Parallel()
		w := start(t, hour)
		w.agent.setDown(true)
		w.burst()
		w.recorded(`"wants"`, 60)
		w.down()
		w.agent.setDown(false)
		w.up()
		w.allRequested()
	})
	t.Run("after the first request", func(t *testing.T) {
		t.Parallel()
		w := start(t, hour)
		w.burst()
		w.recorded(`"wants"`, 60)
		w.recorded(`"accepted"`, 1)
		w.down()
		w.up()
		w.allRequested()
	})
}
