package worker

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
)

// replier answers the questions of surfaces.
type replier struct{ w *Worker }

// Reply implements [bus.Replier].
func (r replier) Reply(ctx context.Context, m contract.Message) (contract.Payload, error) {
	switch p := m.Payload.(type) {
	case *contract.DecisionAnswer:
		return r.answer(ctx, m.Session, p)
	case *contract.SessionCreate:
		rec, err := r.w.create(ctx, m.Envelope, p)
		return &contract.SessionCreated{Session: sessionOf(rec)}, err
	case *contract.SessionStatus:
		return r.status(ctx, m.Session)
	case *contract.SessionList:
		return r.list(ctx, p)
	case *contract.PersonaList:
		return r.personas(ctx)
	case *contract.BlobCopy:
		blob, item, err := r.w.o.Engine.Blob(ctx, m.Session, p.SHA256)
		if err != nil {
			return nil, err
		}
		defer func() { _ = blob.Close() }() // it was read to its end, or failed
		copied := &contract.BlobCopied{Object: bus.ObjectName(m.Session, p.SHA256), Bytes: item.Bytes}
		return copied, r.w.o.Bus.Lend(ctx, copied.Object, blob)
	case *contract.BlobRelease:
		return &contract.BlobReleased{}, r.w.o.Bus.TakeBack(ctx, p.Object)
	}
	return nil, fmt.Errorf("bus: nobody answers %s", contract.TypeOf(m.Payload))
}

func (r replier) answer(ctx context.Context, session string, a *contract.DecisionAnswer) (contract.Payload, error) {
	d, err := r.w.o.Engine.Decide(ctx, turn.DecisionRequest{
		SessionID: session, DecisionID: a.DecisionID, Verdict: permit.Verdict(a.Verdict), By: a.By, Note: a.Note, Only: a.Only,
	})
	if err != nil {
		return nil, err
	}
	return &contract.DecisionAnswered{DecisionID: d.DecisionID, Verdict: contract.Verdict(d.Verdict), By: d.By, Time: d.Time}, nil
}

// status says what happens in a session. Its open questions share the room of the message:
// what one does not need is for those after it.
func (r replier) status(ctx context.Context, id string) (contract.Payload, error) {
	rec, err := r.w.o.Engine.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	open, err := r.w.o.Engine.Decisions(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &contract.SessionState{Session: sessionOf(rec)}
	s.Running, s.Queued = r.w.state(id)
	open = open[:min(len(open), maxPaths)]
	room := limit(contract.TypeSessionState) - encoded(s) - len(`,"open":[]`)
	for i, q := range open {
		d := fit(decision(q), room/(len(open)-i)-1)
		if room -= encoded(d) + 1; room < 0 { // a comma follows
			break
		}
		s.Open = append(s.Open, d)
	}
	return s, nil
}

// state is what this worker has to do in a session: the requests in line in their order, and
// after them those that it has not looked at yet, or is looking at.
func (w *Worker) state(id string) (running *contract.RunningRequest, queued []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	listed := map[string]bool{}
	if l := w.lines[id]; l != nil {
		if a := l.active; a != nil {
			a.mu.Lock()
			running = &contract.RunningRequest{Request: a.key.request, TurnID: a.turn, Since: a.since}
			a.mu.Unlock()
			listed[a.key.request] = true
		}
		for _, j := range l.waiting {
			queued, listed[j.key.request] = append(queued, j.key.request), true
		}
	}
	var rest []string
	for key, j := range w.jobs {
		if key.session == id && !listed[key.request] && (j.message.Queue != contract.QueueInterrupt || j.message.Text != "") {
			rest = append(rest, key.request)
		}
	}
	slices.Sort(rest)
	return running, append(queued, rest...)
}

// defaultSessions is how many sessions a list has that names no number.
const defaultSessions = 50

func (r replier) list(ctx context.Context, l *contract.SessionList) (contract.Payload, error) {
	limit := cmp.Or(l.Limit, defaultSessions)
	page, err := r.w.o.Engine.ListPage(ctx, l.ProjectRoot, session.ListOptions{Limit: limit, Recent: true})
	if err != nil {
		return nil, err
	}
	p := &contract.SessionPage{Sessions: []contract.Session{}, More: page.More > 0}
	for _, rec := range page.Records {
		p.Sessions = append(p.Sessions, sessionOf(rec))
	}
	return p, nil
}

func (r replier) personas(ctx context.Context) (contract.Payload, error) {
	all, err := r.w.o.Engine.Personas(ctx)
	if err != nil {
		return nil, err
	}
	p := &contract.Personas{Personas: []contract.Persona{}}
	for _, s := range all[:min(len(all), maxPersonas)] {
		p.Personas = append(p.Personas, contract.Persona{ID: contract.Cut(s.ID, maxLine/2), Description: contract.Cut(s.Description, maxNote)})
	}
	return p, nil
}

// maxPersonas is the most that a list of the contract holds.
const maxPersonas = 200

func sessionOf(r session.Record) contract.Session {
	return contract.Session{
		SessionID: r.SessionID, ProjectRoot: r.ProjectRoot, Persona: r.Persona, Mode: r.Mode, Model: r.Model,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}
