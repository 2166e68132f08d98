package test

import (
	"context"
	"strings"
	"testing"
)

// liveKey is a key of a provider, which the program knows from its environment.
const liveKey = "anthropic-key-0123456789"

// liveScript has commands that people watch.
const liveScript = `turns:
  - when: slow
    steps:
      - call: {name: bash, input: {command: "echo first-line; printf 'half '; sleep 300"}}
      - say: Done.
  - when: secret
    steps:
      - call: {name: bash, input: {command: "printf 'the key is anthropic-k'; sleep 0.3; printf 'ey-01234'; sleep 0.3; echo '56789, and that is all'"}}
      - say: Done.
  - when: flood
    steps:
      - call: {name: bash, input: {command: "head -c 300000000 /dev/zero | tr '\\0' 'x'; echo; echo the-last-line"}}
      - say: Done.
  - when: job
    steps:
      - call: {name: bash, input: {command: "echo begun; until test -e $TMPDIR/go; do sleep 0.02; done; echo more; touch $TMPDIR/gone; sleep 300", background: true}}
      - call: {name: bash, input: {command: "touch $TMPDIR/go; until test -e $TMPDIR/gone; do sleep 0.02; done; echo beside"}}
      - say: Done.
  - steps:
      - say: And on it goes.
`

// output is the text that a call was shown to write, as a reader puts it together; ends are those
// that took its place.
func output(t *testing.T, all []sse, call string) (text string, ends []string) {
	t.Helper()
	for _, e := range all {
		if e.name != "tool:output" || e.data["toolCallId"] != call {
			continue
		}
		piece, _ := e.data["text"].(string)
		if len(piece) > 4<<10 {
			t.Errorf("a piece of %d bytes", len(piece))
		}
		if e.data["tail"] == true {
			ends = append(ends, piece)
			continue
		}
		if at, _ := e.data["offset"].(float64); int(at) != len(text) {
			t.Errorf("a piece begins at %v after %d bytes", at, len(text))
		}
		text += piece
	}
	return text, ends
}

// callNamed is the id of the nth call of a tool, from 0.
func callNamed(t *testing.T, all []sse, n int) string {
	t.Helper()
	for _, e := range all {
		if e.name != "tool:call" {
			continue
		}
		if n == 0 {
			id, _ := e.data["toolCallId"].(string)
			return id
		}
		n--
	}
	t.Fatal("there are fewer calls")
	return ""
}

// A reader of the event stream sees what a command writes while it runs, a line without an end as
// well. When the process is killed then, what was seen stays in the log, and the session goes on.
//
// Covers: turn-api REQ-03, REQ-12
func TestLiveOutputIsSeenBeforeTheCommandEnds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.scripted(liveScript)
	s := p.serve()
	id := s.session()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	res := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "slow"}))
	defer res.Body.Close()
	next := scanner(res.Body)
	var all []sse
	for text := ""; text != "first-line\nhalf "; {
		e, err := next()
		must(t, err)
		if e.name == "tool:result" {
			t.Fatalf("the command has ended, and shown was only %q", text)
		}
		if all = append(all, e); e.name == "tool:output" {
			text, _ = output(t, all, callNamed(t, all, 0))
		}
	}
	turn := s.turnOf(id)
	s.kill()

	s = p.serve()
	again := s.open(ctx, "GET", "/api/harness/session/"+id+"/events?turn="+turn, "")
	defer again.Body.Close()
	replayed := events(t, again.Body)
	if text, _ := output(t, replayed, callNamed(t, replayed, 0)); text != "first-line\nhalf " {
		t.Errorf("after the crash the log has %q", text)
	}
	if last(t, replayed).name != "process:exit" {
		t.Errorf("the turn has no end: %s", names(replayed))
	}
	if all := s.turn(map[string]any{"sessionId": id, "message": "and on"}); !strings.HasSuffix(names(all), "process:exit") {
		t.Errorf("the session does not go on: %s", names(all))
	}
	p.checkRecord(id)
}

// A key that a command writes in pieces is in no event.
//
// Covers: turn-api REQ-03
func TestLiveOutputHasNoKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "ANTHROPIC_API_KEY="+liveKey)
	p.scripted(liveScript)
	s := p.serve()
	all := s.turn(map[string]any{"sessionId": s.session(), "message": "secret"})
	text, _ := output(t, all, callNamed(t, all, 0))
	if text != "the key is [redacted], and that is all\n" {
		t.Errorf("shown: %q", text)
	}
}

// A command that floods is shown up to the limit, and then its end. Its result is what it always
// was, and the log stays small.
//
// Covers: turn-api REQ-03
func TestLiveOutputOfAFlood(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.scripted(liveScript)
	s := p.serve()
	id := s.session()
	all := s.turn(map[string]any{"sessionId": id, "message": "flood"})
	text, ends := output(t, all, callNamed(t, all, 0))
	if len(text) != 256<<10 || strings.Trim(text, "x") != "" {
		t.Errorf("%d bytes were shown", len(text))
	}
	if len(ends) == 0 || len(ends) > 60 || !strings.HasSuffix(ends[len(ends)-1], "x\nthe-last-line\n") {
		t.Errorf("the end was shown %d times: %.50q", len(ends), ends)
	}
	for _, e := range all {
		if out, _ := e.data["output"].(string); e.name == "tool:result" && (!strings.Contains(out, "bytes of output left out") || !strings.Contains(out, "the-last-line")) {
			t.Errorf("the result is %.200q", out)
		}
	}
}

// The output of a background job is shown as long as it runs, after its call has a result as well,
// and before the turn ends.
//
// Covers: turn-api REQ-03, REQ-04
func TestLiveOutputOfAJob(t *testing.T) {
	t.Parallel()
	p := newPlace(t).race()
	p.scripted(liveScript)
	s := p.serve()
	all := s.turn(map[string]any{"sessionId": s.session(), "message": "job"})
	job, _ := output(t, all, callNamed(t, all, 0))
	beside, _ := output(t, all, callNamed(t, all, 1))
	if job != "begun\nmore\n" || beside != "beside\n" {
		t.Errorf("the job is shown as %q, the call beside it as %q", job, beside)
	}
	if last(t, all).name != "process:exit" {
		t.Errorf("the last event: %s", names(all))
	}
}
