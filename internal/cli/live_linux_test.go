package cli

import (
	"testing"
)

const writesSlowly = `
turns:
  - steps:
      - call: {name: bash, input: {command: "printf 'first-%s\\n' line; printf '\\033[1mnext-%s\\n' line; sleep 300"}}
      - say: Done.
`

// A person at a terminal sees what a command writes while it runs, in a turn and in the chat.
func TestLiveOutputOnATerminal(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"turn": {"turn", "go"}, "chat": {"chat"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, _ := playOnTerminal(t, writesSlowly, []string{"NO_COLOR=1"}, args...)
			if name == "chat" {
				x.shows("/help")
				x.types("go\r")
			}
			x.shows("first-line")
			x.shows("next-line")
			x.types("\x03")
			x.shows("interrupted")
		})
	}
}
