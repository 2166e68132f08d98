package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"belay/internal/bus/contract"
	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/turn"
)

// hugeEffect is more than a message holds, in each of its parts: < takes six bytes in JSON.
func hugeEffect() permit.Effect {
	e := permit.Effect{Tool: "write", Kind: permit.Write, Summary: "a summary", Command: strings.Repeat("<", contract.MaxCommand), Diff: strings.Repeat("<", contract.MaxDiff)}
	for i := range maxPaths {
		p := fmt.Sprint(i, strings.Repeat("<", maxNote-10))
		e.Paths, e.OnRequest = append(e.Paths, p), append(e.OnRequest, p+" "+strings.Repeat(">", maxNote))
		e.Automatic = append(e.Automatic, fmt.Sprint("unnamed", i, strings.Repeat("&", maxNote)))
	}
	return e
}

// openQuestions is how many questions a status has.
const openQuestions = 10

// enlarging is an engine whose questions are all about a huge effect.
type enlarging struct{ turn.Engine }

func (g enlarging) Start(ctx context.Context, r turn.Request) (turn.Stream, error) {
	s, err := g.Engine.Start(ctx, r)
	if err != nil {
		return nil, err
	}
	return enlarged{s}, nil
}

func (g enlarging) Decisions(ctx context.Context, id string) ([]permit.Request, error) {
	open, err := g.Engine.Decisions(ctx, id)
	for i := range open {
		open[i].Effect = hugeEffect()
	}
	for len(open) > 0 && len(open) < openQuestions {
		open = append(open, open[0])
	}
	return open, err
}

type enlarged struct{ turn.Stream }

func (s enlarged) Next(ctx context.Context) ([]event.Event, error) {
	events, err := s.Stream.Next(ctx)
	for i, e := range events {
		var p event.Permission
		if e.Type != event.PermissionAsked || json.Unmarshal(e.Data, &p) != nil {
			continue
		}
		p.Effect = hugeEffect()
		if events[i].Data, err = json.Marshal(p); err != nil {
			return nil, err
		}
	}
	return events, err
}

// A question that is too large for a message is asked in a shorter form. Its turn waits, and
// its request does not end.
func TestQuestionThatIsTooLarge(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), asking, func(o *Options) { o.Engine = enlarging{o.Engine} })
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "change")
	r.wait("r1", contract.StateRunning)
	q := r.question("r1")
	if q.FileCount != maxPaths || len(q.Files) == 0 || !q.DiffTruncated || !q.CommandTruncated || q.Summary != "a summary" {
		t.Errorf("%d of %d files, %+v", len(q.Files), q.FileCount, q)
	}
	state, err := r.client.Status(r.ctx(), s)
	must(t, err)
	if len(state.Open) != openQuestions || state.Open[0].DecisionID != q.DecisionID || state.Open[0].FileCount != maxPaths {
		t.Errorf("%d questions are open", len(state.Open))
	}
	answer := &contract.DecisionAnswer{DecisionID: q.DecisionID, Verdict: contract.VerdictAllow, By: "discord:42"}
	_, err = r.client.Answer(r.ctx(), s, answer)
	must(t, err)
	if e := r.end(s, "r1"); e.State != contract.StateResolved {
		t.Errorf("end: %+v", e)
	}
}

// What people can do without goes first, and nothing more than has to.
func TestWhatAQuestionLeavesOut(t *testing.T) {
	t.Parallel()
	whole := decision(permit.Request{ID: "dec_1", Effect: hugeEffect(), Created: noon})
	last := encoded(whole)
	for size := last; size > 2000; size /= 2 {
		d := fit(whole, size)
		n := encoded(d)
		if n > size || n > last || d.FileCount != maxPaths || d.DecisionID != "dec_1" {
			t.Errorf("%d bytes of %d, before %d", n, size, last)
		}
		switch {
		case d.Diff == whole.Diff && size < encoded(whole), d.Diff == "" && !d.DiffTruncated,
			len(d.Command) < len(whole.Command) && (d.Diff != "" || !d.CommandTruncated),
			len(d.Files) < len(whole.Files) && (d.Files == nil) != (d.Notes == nil):
			t.Errorf("%d bytes: a diff of %d, a command of %d, %d notes, %d files", size, len(d.Diff), len(d.Command), len(d.Notes), len(d.Files))
		}
		last = n
	}
	if len(whole.Files[0].Reason) == 0 || len(whole.Notes[0]) < maxLine {
		t.Error("the question itself was changed")
	}
}

// A note that is cut for a question that is too large makes it one that is not shown whole.
func TestNotesThatAreCut(t *testing.T) {
	t.Parallel()
	d := contract.Decision{DecisionID: "dec_1", Command: "make", Notes: []string{"runs by itself: " + strings.Repeat("x", 2*maxLine)}}
	if short := fit(d, encoded(d)-1); len(short.Notes) != 1 || len(short.Notes[0]) != maxLine || short.Command != "make" || !short.CommandTruncated {
		t.Errorf("%+v", short)
	}
}
