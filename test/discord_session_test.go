package test

import (
	"path/filepath"
	"testing"
)

// A channel whose session was deleted begins a new one with the next message.
func TestDiscordDeletedSession(t *testing.T) {
	t.Parallel()
	d := newDiscord(t, "turns:\n  - steps:\n      - say: Hello.\n")
	d.link(d.serve())
	d.Say(d.channel, d.ada, d.Mention()+" hello")
	d.until("Hello.")
	all, err := filepath.Glob(filepath.Join(d.place.project, ".belay/sessions/*"))
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("the sessions are %q", all)
	}
	// The turn ends a moment after its answer.
	var said []byte
	for range 100 {
		if said, err = d.place.command("session", "delete", filepath.Base(all[0])).CombinedOutput(); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	d.Say(d.channel, d.ada, d.Mention()+" again")
	d.until("Hello.", "Hello.")
}
