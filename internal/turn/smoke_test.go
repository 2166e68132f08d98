package turn

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"

	"belay/internal/model/scripted"
)

// Five hundred sessions at one instant, each with a file, on the embedded
// provider: every turn ends, complete.
//
// Covers: turn-api REQ-02, REQ-03
func TestManyTurnsAtOnce(t *testing.T) {
	t.Parallel()
	const n = 500
	r := newRig(t, func(o *Options) { o.Provider = scripted.New(scripted.Options{}) })
	file := r.file("notes.txt", "some words")
	sessions := make([]string, n)
	var all sync.WaitGroup
	for i := range sessions {
		all.Go(func() { sessions[i] = r.session() })
	}
	all.Wait()
	for i, id := range sessions {
		all.Go(func() {
			events := r.say(id, fmt.Sprint("hello from ", i), func(q *Request) { q.Attachments = []string{file} })
			if exit := exitOf(t, events); exit.ExitCode != 0 {
				t.Errorf("turn %d: %+v", i, exit)
			}
		})
	}
	all.Wait()
	eventually(t, "no turn runs", func() bool { return r.engine.Counts().Running == 0 })
}

// A turn that nobody can read on says nothing that its record does not: what the
// transcript keeps is what the model is asked and what it said, byte for byte.
func TestRecordIsWhatWasSaid(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	message := "<b>&\u2028 \x00 \"quoted\" \U0001F600"
	r.provider.play = says(message)
	r.say(id, message)
	raw, err := os.ReadFile(r.project + "/.belay/sessions/" + id + "/transcript.jsonl")
	must(t, err)
	if bytes.Contains(raw, []byte(`\u003c`)) {
		t.Error("the transcript is escaped for HTML")
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	if entries[0].Message != message || entries[2].Blocks[0].Text != message {
		t.Errorf("kept %q and %q", entries[0].Message, entries[2].Blocks[0].Text)
	}
}
