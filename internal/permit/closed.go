package permit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Closed is a question that has its answer. What was asked is known of questions that
// this version of belay closed.
type Closed struct {
	Decision
	Subject
}

// Subject is what a question was about.
type Subject struct {
	SessionID   string `json:"sessionId"`
	TurnID      string `json:"turnId,omitempty"`
	ToolCallID  string `json:"toolCallId,omitempty"`
	ProjectRoot string `json:"projectRoot,omitempty"`
	Tool        string `json:"tool,omitempty"`
	// Summary says in a sentence what the call would do, at most 300 bytes.
	Summary string `json:"summary,omitempty"`
}

// maxSummary is how many bytes of what was asked are kept with the answer.
const maxSummary = 300

// subject is what a question is about.
func (r Request) subject() Subject {
	return Subject{
		SessionID: r.SessionID, TurnID: r.TurnID, ToolCallID: r.ToolCallID, ProjectRoot: r.ProjectRoot,
		Tool: r.Effect.Tool, Summary: clip(strings.ToValidUTF8(r.Effect.Act(), ""), maxSummary),
	}
}

// Question is an open question, or a closed one: one of the two is set.
type Question struct {
	Open   *Request
	Closed *Closed
}

// Question returns the question of an id, with its answer if it has one. One that is
// not there, or whose answer is older than a month, is NOT_FOUND.
func (d *Requests) Question(id string) (Question, error) {
	r, asked := d.question(id)
	v, err := d.answer(id) // afterwards: an answer is there before its question goes
	switch {
	case err == nil:
		c := v.closed()
		return Question{Closed: &c}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return Question{}, storage(fmt.Errorf("read the answer to %s: %w", clip(id, 100), err))
	case asked != nil:
		return Question{}, notFound(id, asked)
	case d.expired(r):
		c := Closed{d.late(r), r.subject()}
		return Question{Closed: &c}, nil
	}
	return Question{Open: &r}, nil
}

// Closed lists the latest answers to the questions of a session, of all sessions for "",
// the latest first, at most so many. What cannot be read is left out.
func (d *Requests) Closed(ctx context.Context, sessionID string, most int) ([]Closed, error) {
	type file struct {
		id string
		at time.Time
	}
	var files []file
	err := d.each(ctx, dirVerdicts, func(id string) {
		if info, err := d.root.Root().Lstat(verdictFile(id)); err == nil {
			files = append(files, file{id, info.ModTime()})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list the answers: %w", err)
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(b.id, a.id)) })
	var all []Closed
	for _, f := range files {
		if len(all) == most {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if v, err := d.answer(f.id); err == nil && (sessionID == "" || v.SessionID == sessionID) {
			all = append(all, v.closed())
		}
	}
	return all, nil
}

// newRecord is the content of the file that closes a question.
func newRecord(r Request, d Decision) record {
	asked := r.subject()
	return record{SessionID: r.SessionID, Decision: d, Asked: &asked, About: d.About}
}
