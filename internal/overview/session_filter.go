package overview

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"belay/internal/crash"
	"belay/internal/session"
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
		g.Go(crash.Caught(func() error {
			for i := begin; i < min(begin+atOnce, len(rows)); i++ {
				if d, err := v.digest(rows[i]); err == nil {
					digests[i] = d
				}
			}
			return ctx.Err()
		}))
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
