package turn

import (
	"cmp"
	"context"
	"slices"
	"time"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/session"
)

// UsageRow is what the turns of one day cost in one project with one model.
type UsageRow struct {
	// Day is the UTC day on which the turns ended, YYYY-MM-DD.
	Day         string `json:"day"`
	ProjectRoot string `json:"projectRoot"`
	Model       string `json:"model"`
	Turns       int    `json:"turns"`
	event.Tokens
}

// Usage implements [Sessions]. It reads the transcripts of the sessions that were
// used since then; a session that cannot be used ([session.Unusable]) does not count. A turn
// that is in several sessions, because one was imported twice, counts once.
func (s *sessions) Usage(ctx context.Context, since time.Time) ([]UsageRow, error) {
	ids, err := s.store.IDs(ctx)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids) // which session a turn counts for does not change from call to call
	sum, seen := map[UsageRow]*UsageRow{}, map[string]bool{}
	for _, id := range ids {
		rec, err := s.store.Get(ctx, id)
		if session.Unusable(err) || err == nil && rec.UpdatedAt.Before(since) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries, err := s.store.Transcript(ctx, id)
		if session.Unusable(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		tally(sum, seen, rec.ProjectRoot, entries, since)
	}
	rows := make([]UsageRow, 0, len(sum))
	for _, r := range sum {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b UsageRow) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ProjectRoot, b.ProjectRoot), cmp.Compare(a.Model, b.Model))
	})
	return rows, nil
}

// tally adds the turns of one transcript. A turn's model is that of its last
// request, or who answered in its place. Those in seen were added before.
func tally(sum map[UsageRow]*UsageRow, seen map[string]bool, projectRoot string, entries []session.Entry, since time.Time) {
	name := ""
	for _, e := range entries {
		switch {
		case e.Kind == session.EntryRequest && e.Manifest != nil && e.Agent == "":
			name = cmp.Or(model.AnsweredBy(e.Manifest.Provider, e.Manifest.Model), e.Manifest.Model)
		case e.Kind == session.EntryEnd && e.Usage != nil && !e.Time.Before(since) && !seen[e.Turn]:
			seen[e.Turn] = true
			key := UsageRow{Day: e.Time.UTC().Format(time.DateOnly), ProjectRoot: projectRoot, Model: name}
			if sum[key] == nil {
				row := key
				sum[key] = &row
			}
			sum[key].add(*e.Usage)
		}
	}
}

func (r *UsageRow) add(t event.Tokens) {
	r.Turns++
	r.InputTokens += t.InputTokens
	r.OutputTokens += t.OutputTokens
	r.CacheReadTokens += t.CacheReadTokens
	r.CacheWriteTokens += t.CacheWriteTokens
	if t.CostUSD != nil {
		cost := *t.CostUSD
		if r.CostUSD != nil {
			cost += *r.CostUSD
		}
		r.CostUSD = &cost
	}
}
