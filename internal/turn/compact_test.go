package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/session"
)

// small is a model that a dozen turns of this file outgrow.
func small() model.Limits {
	l := catalog.Limits("claude-sonnet-4-20250514")
	l.ContextTokens, l.OutputTokens = 24_000, 2_000
	return l
}

// A conversation that outgrows its model goes on from a summary of its oldest
// turns. The summary is on record, asked for once, and what it stands for stays
// in the transcript.
func TestOutgrownTurnsAreSummarised(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.limits = func(string) model.Limits { return small() }
	asked := 0
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if q.Summary {
			asked++
			if got := q.Prompt.Parts(); !strings.Contains(partText(got[0]), "question 0") && asked == 1 {
				t.Error("the first summary is made without the first question")
			}
			says(fmt.Sprintf("NOTES %d: the person wants a bridge.", asked))(ctx, q, yield)
			return
		}
		says("answer")(ctx, q, yield)
	})
	id := r.session()
	warned := 0
	for i := range 30 {
		events := r.say(id, fmt.Sprintf("question %d %s", i, strings.Repeat("word ", 600)))
		if e := exitOf(t, events); e.ExitCode != 0 {
			t.Fatalf("turn %d: %+v", i, e)
		}
		for _, e := range events {
			if e.Type == event.ChatDelta && strings.Contains(string(e.Data), "NOTES") {
				t.Errorf("turn %d: the summary was shown as an answer", i)
			}
			if e.Type == event.TurnWarning && strings.Contains(string(e.Data), "SUMMARISED") {
				warned++
			}
		}
	}
	if asked == 0 || asked > 10 || warned != asked {
		t.Errorf("%d summaries were asked for and %d told in 30 turns", asked, warned)
	}
	history := r.provider.last(t).History
	if got, want := textOf(history[0].Content[0]), fmt.Sprintf("NOTES %d", asked); !strings.Contains(got, want) {
		t.Errorf("the request begins with %.200q, want %q", got, want)
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	turns, summaries := 0, 0
	for _, e := range entries {
		switch e.Kind {
		case session.EntryTurn:
			turns++
		case session.EntrySummary:
			summaries++
		}
	}
	if turns != 30 || summaries != asked {
		t.Errorf("the transcript has %d turns and %d summaries, want 30 and %d", turns, summaries, asked)
	}
	// Another process goes on from the same summary.
	r.open()
	before := asked
	r.say(id, "short")
	if asked != before {
		t.Error("a new process asks for a summary that is on record")
	}
}

func TestSummaryThatFailsCostsNothingElse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.limits = func(string) model.Limits { return small() }
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if q.Summary {
			yield(nil, errors.New("the service is down"))
			return
		}
		says("answer")(ctx, q, yield)
	})
	id := r.session()
	told := false
	for i := range 25 {
		events := r.say(id, fmt.Sprintf("question %d %s", i, strings.Repeat("word ", 600)))
		if e := exitOf(t, events); e.ExitCode != 0 {
			t.Fatalf("turn %d: %+v", i, e)
		}
		told = told || strings.Contains(fmt.Sprint(payloads(events, event.TurnWarning)), "NOT_SUMMARISED")
	}
	if !told {
		t.Error("nobody was told that the summary failed")
	}
}

func payloads(events []event.Event, kind event.Type) (all []string) {
	for _, e := range events {
		if e.Type == kind {
			all = append(all, string(e.Data))
		}
	}
	return all
}

// The summary of turns that see nothing of the earlier ones does not stand for those when
// somebody continues the session.
func TestSummaryOfTurnsThatAreAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.limits = func(string) model.Limits { return small() }
	var summed []string
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if q.Summary {
			summed = append(summed, partText(q.Prompt.Parts()[0]))
			says("NOTES")(ctx, q, yield)
			return
		}
		says("answer")(ctx, q, yield)
	})
	id := r.session()
	exitOf(t, r.say(id, "the very first question"))
	since := ""
	for i := 0; len(summed) == 0 && i < 30; i++ {
		s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: strings.Repeat("word ", 600), Agent: &Agent{Name: "a", Instructions: "x", Alone: true, Since: since}, Opts: Opts{OnBusy: onBusyQueue}})
		must(t, err)
		if since == "" {
			since = s.Turn()
		}
		exitOf(t, r.drain(s))
	}
	if len(summed) != 1 || strings.Contains(summed[0], "the very first") {
		t.Fatalf("summed up are %d histories: %.200q", len(summed), summed)
	}
	exitOf(t, r.say(id, "and now?"))
	known := strings.Join(summed[1:], "\n")
	for _, m := range r.provider.last(t).History {
		known += textOf(m.Content[0])
	}
	if !strings.Contains(known, "the very first question") {
		t.Errorf("the conversation that goes on knows %.300q", known)
	}
}

// stops is an answer that ends for a reason.
func stops(text string, why model.StopReason) play {
	return func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		_ = yield(model.TextDelta{Text: text}, nil) &&
			yield(model.Block{Content: model.Text{Text: text}}, nil) &&
			yield(model.Usage{InputTokens: 10, OutputTokens: 5}, nil) &&
			yield(model.Stop{Reason: why}, nil)
	}
}

// A summary that the model declined to write, or did not write to its end, stands for nothing:
// the next turn is sent the whole conversation.
func TestUnfinishedSummaryStandsForNothing(t *testing.T) {
	t.Parallel()
	for why, message := range map[model.StopReason]string{
		model.StopRefusal:   "the model declined to write a summary",
		model.StopMaxTokens: "the model's summary was cut off at the limit of tokens",
		model.StopPause:     `the model stopped with "pause_turn" instead of a summary`,
	} {
		r := newRig(t)
		r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
			if !q.Summary {
				says("answer")(ctx, q, yield)
				return
			}
			if asked := partText(q.Prompt.Parts()[0]); !strings.Contains(asked, "Write at most ") {
				t.Errorf("the request names no length: %q", asked)
			}
			stops("I cannot help with tha", why)(ctx, q, yield)
		})
		id := r.session()
		r.say(id, "question 1")
		if e := exitOf(t, r.compact(id, "keep it")); e.ExitCode == 0 || e.Error != message {
			t.Errorf("%s: the turn ended with %+v", why, e)
		}
		r.say(id, "and now?")
		if sent := r.sentTexts(t); !strings.Contains(sent, "question 1") || strings.Contains(sent, "I cannot help") {
			t.Errorf("%s: sent %q", why, sent)
		}
	}
}
