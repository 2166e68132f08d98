package pipeline

import (
	"context"
	"math"
	"slices"

	"belay/internal/fault"
	"belay/internal/session"
)

// Batch is a start as lists show it.
type Batch struct {
	ID            string `json:"id"`
	Category      string `json:"category"`
	Type          string `json:"type"`
	ScopeMode     string `json:"scopeMode,omitempty"`
	KnowledgeType string `json:"knowledgeType,omitempty"`
	// Of is how many sessions were to be made, Sessions how many there are: a person may
	// have deleted some.
	Of        int          `json:"of"`
	Sessions  int          `json:"sessions"`
	CreatedAt session.Time `json:"createdAt"`
	// Live is set while this server starts its turns. Error is why it ended early; it is
	// known until the server ends, of the latest ones.
	Live  bool       `json:"live"`
	Error *BatchFail `json:"error,omitempty"`
}

// BatchFail says why no more turns of a batch are started.
type BatchFail struct {
	Type    fault.Type `json:"type"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
}

// Batches are those of a project, the newest first, at most so many.
func (s *Service) Batches(ctx context.Context, projectRoot string, most int) ([]Batch, error) {
	records, err := s.o.Engine.List(ctx, projectRoot)
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	var all []Batch
	for _, rec := range records {
		l := rec.Pipeline
		if l == nil || rec.Damaged != "" {
			continue
		}
		i, has := seen[l.Batch]
		if !has {
			i = len(all)
			seen[l.Batch] = i
			all = append(all, Batch{
				ID: l.Batch, Category: l.Category, Type: l.Type, ScopeMode: l.ScopeMode, KnowledgeType: l.KnowledgeType, Of: l.Of, CreatedAt: rec.CreatedAt,
			})
		}
		all[i].Sessions++
	}
	slices.SortStableFunc(all, func(a, b Batch) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
	all = all[:min(len(all), most)]
	at := placeOf(projectRoot, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range all {
		at.batch = all[i].ID
		s.shown(at, &all[i])
	}
	return all, nil
}

// Batch is one of them.
func (s *Service) Batch(ctx context.Context, projectRoot, id string) (Batch, error) {
	all, err := s.Batches(ctx, projectRoot, math.MaxInt)
	if err != nil {
		return Batch{}, err
	}
	i := slices.IndexFunc(all, func(b Batch) bool { return b.ID == id })
	if i < 0 {
		return Batch{}, unknownBatch(id)
	}
	return all[i], nil
}

// shown adds what this process knows of a batch. The caller holds the lock.
func (s *Service) shown(at place, b *Batch) {
	err := s.failed.why[at]
	if running := s.running[at]; running != nil {
		b.Live, err = true, running.err
	}
	if err != nil {
		f := fault.From(err)
		b.Error = &BatchFail{f.Type, f.Message, f.Hint}
	}
}
