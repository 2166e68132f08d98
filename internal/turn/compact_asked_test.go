package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/changes"
)

// compacting is a rig whose provider answers "answer", and summarises as notes say.
func compacting(t *testing.T, notes func(q model.Request) (string, error)) *rig {
	t.Helper()
	r := newRig(t)
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if !q.Summary {
			says("answer")(ctx, q, yield)
			return
		}
		text, err := notes(q)
		if err != nil {
			yield(nil, err)
			return
		}
		says(text)(ctx, q, yield)
	})
	return r
}

func (r *rig) compact(id, message string) []event.Event {
	r.t.Helper()
	return r.say(id, message, func(q *Request) { q.Opts.Compact = true })
}

// sentTexts is all that the last request said before its prompt.
func (r *rig) sentTexts(t *testing.T) string {
	t.Helper()
	var all []string
	for _, m := range r.provider.last(t).History {
		for _, c := range m.Content {
			all = append(all, textOf(c))
		}
	}
	return strings.Join(all, "\n")
}

// A person has the conversation summarised. Later requests begin with the summary, also in
// a new process and in a fork, and the transcript keeps every turn.
func TestCompactingAsAsked(t *testing.T) {
	t.Parallel()
	asked := ""
	r := compacting(t, func(q model.Request) (string, error) {
		asked = partText(q.Prompt.Parts()[0])
		return "NOTES: the bridge has four spans.", nil
	})
	id := r.session()
	before := r.say(id, "question 1 "+strings.Repeat("word ", 3000))
	r.say(id, "question 2")
	events := r.compact(id, "keep the spans")
	if e := exitOf(t, events); e.ExitCode != 0 {
		t.Fatalf("%+v", e)
	}
	for _, words := range []string{"question 1", "question 2", "keep the spans"} {
		if !strings.Contains(asked, words) {
			t.Errorf("the summary is made without %q: %.300s", words, asked)
		}
	}
	var done event.Complete
	for _, p := range payloads(events, event.SessionComplete) {
		must(t, json.Unmarshal([]byte(p), &done))
	}
	if done.StopReason != "end_turn" || done.ContextTokens <= 0 || done.ContextTokens > 3000 {
		t.Errorf("the end is %+v", done)
	}
	if said := strings.Join(payloads(events, event.ChatComplete), ""); !strings.Contains(said, "four spans") {
		t.Errorf("the person does not see the summary: %s", said)
	}
	if len(payloads(events, event.Usage)) != 1 || len(payloads(before, event.Usage)) != 1 {
		t.Errorf("the summary is accounted for %d times", len(payloads(events, event.Usage)))
	}
	check := func(id string) {
		t.Helper()
		if e := exitOf(t, r.say(id, "and now?")); e.ExitCode != 0 {
			t.Fatalf("%+v", e)
		}
		sent := r.sentTexts(t)
		if !strings.Contains(sent, "four spans") || strings.Contains(sent, "question 1") || strings.Contains(sent, "question 2") || strings.Contains(sent, "keep the spans") {
			t.Errorf("the request is %.500s", sent)
		}
	}
	check(id)
	r.open()
	check(id)
	fork, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id})
	must(t, err)
	check(fork.SessionID)
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	record := fmt.Sprint(entries)
	if !strings.Contains(record, "question 1") || !strings.Contains(record, "question 2") {
		t.Error("the transcript lost a turn")
	}
	// A fork from before the compaction has the whole conversation.
	whole, err := r.engine.Fork(r.ctx(), changes.ForkRequest{SessionID: id, TurnID: entries[0].Turn})
	must(t, err)
	r.say(whole.SessionID, "and here?")
	if sent := r.sentTexts(t); !strings.Contains(sent, "question 1") || strings.Contains(sent, "four spans") {
		t.Errorf("the fork from before sends %.300s", sent)
	}
}

// A summary that fails, or that nothing is left to pay for, leaves the conversation whole;
// the turn that failed is not sent to the model.
func TestCompactingThatFails(t *testing.T) {
	t.Parallel()
	r := compacting(t, func(model.Request) (string, error) { return "", errors.New("the service is down") })
	id := r.session()
	r.say(id, "question 1")
	if e := exitOf(t, r.compact(id, "summarise")); e.ExitCode == 0 {
		t.Error("the turn did well")
	}
	r.say(id, "and now?")
	if sent := r.sentTexts(t); !strings.Contains(sent, "question 1") || strings.Contains(sent, "summarise") {
		t.Errorf("the request is %.300s", sent)
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	for _, e := range entries {
		if e.Kind == session.EntrySummary {
			t.Errorf("there is a summary: %+v", e)
		}
	}
}

// Without an earlier turn, and right after a summary, no model is asked.
func TestCompactingNothing(t *testing.T) {
	t.Parallel()
	asked := 0
	r := compacting(t, func(model.Request) (string, error) { asked++; return "NOTES", nil })
	id := r.session()
	for range 2 {
		events := r.compact(id, "summarise")
		if e := exitOf(t, events); e.ExitCode != 0 || !strings.Contains(fmt.Sprint(payloads(events, event.ChatComplete)), "nothing to summarise") {
			t.Errorf("%+v", e)
		}
	}
	r.say(id, "question")
	r.compact(id, "summarise")
	r.compact(id, "summarise")
	if asked != 1 {
		t.Errorf("the model was asked %d times", asked)
	}
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "x", Attachments: []string{"a.md"}, Opts: Opts{Compact: true}})
	if !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("with attachments: %v", err)
	}
}

// What a person says while the summary is made is heard with the next message.
func TestSteeringACompaction(t *testing.T) {
	t.Parallel()
	var r *rig
	id := ""
	r = compacting(t, func(model.Request) (string, error) {
		must(t, r.engine.Steer(r.ctx(), SteerRequest{SessionID: id, Message: "mind the piers", Mode: session.Steer}))
		return "NOTES", nil
	})
	id = r.session()
	r.say(id, "question")
	r.compact(id, "summarise")
	r.say(id, "and now?")
	if sent := r.sentTexts(t); !strings.Contains(sent, "mind the piers") || !strings.Contains(sent, "NOTES") {
		t.Errorf("the request is %.300s", sent)
	}
}
