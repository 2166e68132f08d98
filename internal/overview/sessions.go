package overview

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"belay/internal/fault"
	"belay/internal/session"
)

// State is what a session does now.
type State string

// The states of a session.
const (
	// Idle: no turn runs.
	Idle State = "idle"
	// Running: a turn runs, in whichever process.
	Running State = "running"
	// Waiting: a call waits for a person.
	Waiting State = "waiting"
	// Damaged: the session cannot be used.
	Damaged State = "damaged"
)

// States lists the states of a session.
func States() []string {
	return []string{string(Idle), string(Running), string(Waiting), string(Damaged)}
}

// Session is a session as lists show it.
type Session struct {
	SessionID   string `json:"sessionId"`
	ProjectID   string `json:"projectId"`
	ProjectName string `json:"projectName"`
	ProjectRoot string `json:"projectRoot"`
	// Title is the session's own, or the first line of its first message, "" where there
	// is neither.
	Title         string `json:"title"`
	State         State  `json:"state"`
	OpenQuestions int    `json:"openQuestions"`
	Turns         int    `json:"turns"`
	// CostUSD is what its ended turns cost, absent where no model had a price.
	CostUSD *float64 `json:"costUsd,omitempty"`
	Persona string   `json:"persona,omitempty"`
	Mode    string   `json:"mode,omitempty"`
	Model   string   `json:"model,omitempty"`
	// PreferredModel is asked in turns whose options name none.
	PreferredModel string          `json:"preferredModel,omitempty"`
	CreatedAt      session.Time    `json:"createdAt"`
	UpdatedAt      session.Time    `json:"updatedAt"`
	ReadOnly       bool            `json:"readOnly,omitempty"`
	Damaged        string          `json:"damaged,omitempty"`
	ForkedFrom     *session.Origin `json:"forkedFrom,omitempty"`
	// LastExit is the exit code of the turn that ended last, absent before one has:
	// 0, 130 for an interrupted turn, or another for a failed one; LastError is why it failed.
	LastExit  *int   `json:"lastExit,omitempty"`
	LastError string `json:"lastError,omitempty"`
	// Pipeline says which work of a pipeline the session was made for, without its note and
	// options.
	Pipeline *session.Pipeline `json:"pipeline,omitempty"`
}

// The number of sessions on a page: what an answer has where the caller does not say, and
// at most.
const (
	DefaultPage = 50
	MaxPage     = 200
)

// Query says which sessions a page has. The zero value is all of them.
type Query struct {
	// Text are words that all occur in title, id, persona or the project's name.
	Text string
	// Project is the folder of the one project, "" for all.
	Project string
	// State is the one state, "" for all.
	State State
	// Batch is the id of the one batch of a pipeline, "" for all sessions.
	Batch string
	// Limit is how many sessions at most; 0 stands for [DefaultPage].
	Limit int
	// Cursor is the [Page.NextCursor] of the page before.
	Cursor string
}

// Page is a part of the list.
type Page struct {
	Sessions []Session `json:"sessions"`
	// NextCursor leads to the next page, absent on the last one.
	NextCursor string `json:"nextCursor,omitempty"`
	// Total is how many sessions all pages have.
	Total int `json:"total"`
}

// cursor is the place after a session.
type cursor struct {
	Used int64  `json:"used"`
	ID   string `json:"id"`
}

// Sessions returns a page of the sessions of all projects, the one that was used last
// first. A session that was used since its cursor was made moved to the beginning, and no
// later page has it.
func (v *Overview) Sessions(ctx context.Context, q Query) (Page, error) {
	after, err := readCursor(q.Cursor)
	if err != nil {
		return Page{}, err
	}
	rows, err := v.rows(ctx, q.Project)
	if err != nil {
		return Page{}, err
	}
	open, err := v.questions(ctx)
	if err != nil {
		return Page{}, err
	}
	if rows, err = v.matching(ctx, rows, q, open); err != nil {
		return Page{}, err
	}
	page := Page{Sessions: []Session{}, Total: len(rows)}
	slices.SortFunc(rows, byUse)
	if after != nil {
		begin, _ := slices.BinarySearchFunc(rows, *after, func(r session.Row, c cursor) int {
			return cmp.Or(cmp.Compare(c.Used, r.Used.UnixMilli()), strings.Compare(r.ID, c.ID))
		})
		if begin < len(rows) && rows[begin].ID == after.ID {
			begin++
		}
		rows = rows[begin:]
	}
	limit := cmp.Or(q.Limit, DefaultPage)
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = writeCursor(cursor{last.Used.UnixMilli(), last.ID})
	}
	for _, r := range rows {
		s, err := v.show(ctx, r, open)
		if err != nil {
			return Page{}, err
		}
		if s != nil { // it was deleted meanwhile
			page.Sessions = append(page.Sessions, *s)
		}
	}
	return page, nil
}

// rows are the sessions of one project, or of all for "".
func (v *Overview) rows(ctx context.Context, project string) ([]session.Row, error) {
	roots := []string{project}
	if project == "" {
		roots = v.roots()
	}
	var all []session.Row
	seen := map[string]bool{}
	for _, root := range roots {
		rows, err := v.o.Sessions.Rows(ctx, root)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if !seen[r.ID] { // a damaged one may be of several projects, a copy has the id of its original
				seen[r.ID] = true
				all = append(all, r)
			}
		}
	}
	if project == "" {
		v.forget(all)
	}
	return all, nil
}

// byUse puts the session that was used last first.
func byUse(a, b session.Row) int {
	return cmp.Or(b.Used.Compare(a.Used), strings.Compare(a.ID, b.ID))
}

// matching are the sessions that a query asks for.
func (v *Overview) matching(ctx context.Context, rows []session.Row, q Query, open asked) ([]session.Row, error) {
	words := strings.Fields(strings.ToLower(q.Text))
	if len(words) == 0 && q.State == "" && q.Batch == "" {
		return rows, nil
	}
	digests, err := v.digestAll(ctx, rows)
	if err != nil {
		return nil, err
	}
	var found []session.Row
	for i, r := range rows {
		if q.State != "" && q.State != v.state(r, digests[i], open) {
			continue
		}
		if q.Batch != "" && batchOf(digests[i]) != q.Batch {
			continue
		}
		if len(words) > 0 && !digestHas(r, digests[i], words) {
			continue
		}
		found = append(found, r)
	}
	return found, nil
}

// digestAll are the digests of sessions, nil for those that cannot be used. Several
// goroutines read, because the first time all transcripts are.
func (v *Overview) digestAll(ctx context.Context, rows []session.Row) ([]*session.Digest, error) {
	const atOnce = 100
	digests := make([]*session.Digest, len(rows))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for begin := 0; begin < len(rows); begin += atOnce {
		g.Go(func() error {
			for i := begin; i < min(begin+atOnce, len(rows)); i++ {
				if d, err := v.digest(rows[i]); err == nil {
					digests[i] = d
				}
			}
			return ctx.Err()
		})
	}
	return digests, g.Wait()
}

// batchOf is the batch of a pipeline that a session is of, "" for none.
func batchOf(d *session.Digest) string {
	if d == nil || d.Record == nil || d.Record.Pipeline == nil {
		return ""
	}
	return d.Record.Pipeline.Batch
}

// digestHas reports whether a session has all words, which are in lower case.
func digestHas(r session.Row, d *session.Digest, words []string) bool {
	text := r.ID + "\n" + filepath.Base(r.ProjectRoot)
	if d != nil {
		text += "\n" + titleOf(d.Record, d)
		if d.Record != nil {
			text += "\n" + d.Record.Persona
		}
	}
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// titleOf is what people call a session.
func titleOf(rec *session.Record, d *session.Digest) string {
	if rec != nil && rec.Title != "" {
		return rec.Title
	}
	return d.Opening
}

// state is what a session does now. Only a turn without an end may run.
func (v *Overview) state(r session.Row, d *session.Digest, open asked) State {
	switch {
	case r.Damaged || d == nil:
		return Damaged
	case open.inSession[r.ID] > 0:
		return Waiting
	case d.Open != "":
		if v.o.Sessions.Running(r.ID) {
			return Running
		}
	}
	return Idle
}

// show is a session as lists show it, nil where it is gone.
func (v *Overview) show(ctx context.Context, r session.Row, open asked) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rec, err := v.o.Sessions.Read(r)
	if rec == nil || err != nil {
		return nil, err
	}
	d, err := v.digest(r)
	if err != nil {
		d = nil // the session is damaged, and its record says so
	}
	s := &Session{
		SessionID: r.ID, ProjectID: v.idOf(r.ProjectRoot), ProjectName: filepath.Base(r.ProjectRoot), ProjectRoot: r.ProjectRoot,
		State: v.state(r, d, open), OpenQuestions: open.inSession[r.ID], Persona: rec.Persona, Mode: rec.Mode, Model: rec.Model, PreferredModel: rec.PreferredModel,
		CreatedAt: rec.CreatedAt, UpdatedAt: rec.UpdatedAt, ReadOnly: rec.ReadOnly, Damaged: rec.Damaged, ForkedFrom: rec.ForkedFrom,
	}
	if rec.Pipeline != nil {
		label := *rec.Pipeline
		label.Note, label.Options, label.Digest = "", nil, ""
		s.Pipeline = &label
	}
	if d != nil {
		s.Title, s.Turns, s.CostUSD = titleOf(rec, d), d.Turns, d.CostUSD
		s.LastExit, s.LastError = d.Exit, d.Failure
	}
	if rec.Damaged != "" {
		s.State = Damaged
	}
	return s, nil
}

func writeCursor(c cursor) string {
	b, _ := json.Marshal(c) // it always encodes
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads what writeCursor wrote; nil is the beginning.
func readCursor(s string) (*cursor, error) {
	if s == "" {
		return nil, nil
	}
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || !session.ValidID(c.ID) {
		return nil, fault.New(fault.InvalidRequest, "cursor must be the nextCursor of an earlier answer for the same list").With("field", "cursor").
			WithHint("leave it out to begin with the first page")
	}
	return &c, nil
}
