package permit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"belay/internal/fault"
)

// The longest name and note of who decides.
const (
	maxBy   = 200
	maxNote = 2000
)

// List returns the open questions of a session, of all sessions for "", oldest
// first. What cannot be read is left out: [Requests.Problems] names it.
func (d *Requests) List(ctx context.Context, sessionID string) ([]Request, error) {
	open, err := d.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the open questions: %w", err)
	}
	return slices.DeleteFunc(open, func(r Request) bool { return sessionID != "" && r.SessionID != sessionID }), nil
}

// open returns the questions without an answer whose time is not over.
func (d *Requests) open(ctx context.Context) ([]Request, error) {
	var open []Request
	err := d.each(ctx, dirPending, func(id string) {
		r, err := d.question(id)
		if err != nil || d.expired(r) {
			return
		}
		if _, err := d.root.Root().Lstat(verdictFile(id)); errors.Is(err, fs.ErrNotExist) {
			open = append(open, r)
		}
	})
	slices.SortFunc(open, func(a, b Request) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return open, err
}

// each calls f for the ids of a folder's files.
func (d *Requests) each(ctx context.Context, dir string, f func(id string)) error {
	names, err := d.names(dir)
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if id, ok := strings.CutSuffix(name, ".json"); ok && idPattern.MatchString(id) {
			f(id)
		}
	}
	return err
}

func (d *Requests) names(dir string) ([]string, error) {
	f, err := d.root.Root().Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = d.Restore(); err == nil {
			f, err = d.root.Root().Open(dir)
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Decide answers a question, from any process of the operator. A question that is
// not there, or is another session's, is NOT_FOUND; one that was answered, or
// whose time is over, DECISION_CLOSED with the decision in the details; a verdict
// that is none, or a session-wide one where none is offered, INVALID_REQUEST.
// An empty sessionID stands for whichever session asked. Only are, of the files that
// a command changed, those that count; all do where there is none.
func (d *Requests) Decide(ctx context.Context, sessionID, id string, v Verdict, by, note string, only ...string) (Decision, error) {
	dec := Decision{DecisionID: id, Verdict: v, By: strings.TrimSpace(by), Note: strings.TrimSpace(note), Only: CleanPaths(only), Time: d.o.Clock().UTC()}
	if err := dec.Check(); err != nil {
		return Decision{}, err
	}
	r, err := d.question(id)
	if err != nil { // answered, or spoilt by a power cut after it was
		if v, err := d.answer(id); err == nil && (sessionID == "" || sessionID == v.SessionID) {
			return Decision{}, closed(v.Decision)
		}
	}
	if err != nil || sessionID != "" && sessionID != r.SessionID {
		return Decision{}, notFound(id, err)
	}
	if v == VerdictAllowSession && !r.Session {
		return Decision{}, fault.New(fault.InvalidRequest, "this question cannot be answered for the whole session").
			With("field", "verdict").WithHint("answer allow or deny")
	}
	if err := r.Effect.partly(dec); err != nil {
		return Decision{}, err
	}
	late := d.expired(r)
	if late {
		dec = d.late(r)
	}
	settled, won, err := d.settle(ctx, r, dec)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Decision{}, notFound(id, err)
	case err != nil:
		return Decision{}, fmt.Errorf("decide: %w", storage(err))
	case won && !late:
		return settled, nil
	}
	return Decision{}, closed(settled)
}

// closed says how a question was answered before, and by whom.
func closed(d Decision) error {
	text := fmt.Sprintf("the question %s was answered already", d.DecisionID)
	switch {
	case d.Timeout:
		text = fmt.Sprintf("the time for the question %s is over", d.DecisionID)
	case d.By != "":
		text += fmt.Sprintf(": %s, by %s", d.Verdict, d.By)
	}
	return fault.New(fault.DecisionClosed, "%s", text).With("decisionId", d.DecisionID).
		With("verdict", d.Verdict).With("by", d.By).With("time", d.Time)
}

func notFound(id string, cause error) error {
	return fault.New(fault.NotFound, "there is no question %q", clip(id, 100)).With("decisionId", clip(id, 100)).
		WithHint("it may have been answered already; belay decision list shows those that wait").Because(cause)
}

// Check refuses an answer with a verdict, a name or a note that none can have, and reports
// all of that at once.
func (d Decision) Check() error {
	var problems []fault.Problem
	if !d.valid() {
		problems = append(problems, fault.Problem{Field: "verdict", Message: `must be "allow", "allow_session" or "deny"`})
	}
	if utf8.RuneCountInString(d.By) > maxBy || !plain(d.By, "") {
		problems = append(problems, fault.Problem{Field: "by", Message: fmt.Sprintf("must be at most %d characters without control characters", maxBy)})
	}
	if utf8.RuneCountInString(d.Note) > maxNote || !plain(d.Note, "\n\t") {
		problems = append(problems, fault.Problem{Field: "note", Message: fmt.Sprintf("must be at most %d characters without control characters", maxNote)})
	}
	return fault.Invalid(problems)
}

// CleanPaths are paths as a question names them, whichever way a person wrote them.
func CleanPaths(paths []string) []string {
	var all []string
	for _, p := range paths {
		all = append(all, path.Clean(p))
	}
	return all
}
