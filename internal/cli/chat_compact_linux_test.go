package cli

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// /compact makes room: the summary is shown, the meter goes down and stays down in the next
// turn, and a chat that goes on shows the summary.
func TestCompactOnATerminal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long answer that fills the context of the model ", 1200)
	x, _ := playOnTerminal(t, `
turns:
  - when: fill
    steps: [{say: "`+long+`"}]
  - when: brief
    steps: [{say: Went-on}]
`, []string{"COLUMNS=120"}, "chat")
	x.resizes(120, 30)
	meter := func() int {
		t.Helper()
		shown := regexp.MustCompile(`context (\d+)%`).FindStringSubmatch(x.picture())
		if shown == nil {
			t.Fatalf("no meter is shown:\n%s", x.picture())
		}
		n, err := strconv.Atoi(shown[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	x.shows("/help")
	x.types("/compact\r")
	x.shows("nothing was said yet that could be summarised")
	x.types("fill it\r")
	x.shows(" out") // the turn has ended
	x.shows("context [1-9]\\d?%")
	full := meter()
	x.types("/compact keep the spans\r")
	x.shows("(?s)summarise everything so far.*keep the spans.*became a summary.*In short:")
	if !x.waits(func() bool { return meter() < full }) {
		t.Errorf("the meter says %d%%, and %d%% before", meter(), full)
	}
	x.types("brief\r")
	x.shows("(?s)Went-on.* out")
	if now := meter(); now >= full {
		t.Errorf("the meter says %d%% after the next turn, and %d%% before", now, full)
	}
	x.types("\x04")
	x.ends(ExitDone)
	again := x.another("chat", "--continue")
	again.shows("(?s)from here on the model has a summary.*In short:.*Went-on")
	again.types("\x04")
	again.ends(ExitDone)
}
