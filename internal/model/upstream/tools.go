package upstream

import (
	"bytes"
	"slices"
	"sync"

	"belay/internal/model"
)

// ToolSets keeps the JSON of tools: it is long, and the same from turn to turn. It
// is safe for concurrent use and must not be copied once it is used.
type ToolSets struct {
	// Encode makes the JSON of tools as the service gets them, separated by commas.
	// What marked means is the provider's own.
	Encode func(specs []model.ToolSpec, marked bool) ([]byte, error)

	mu   sync.Mutex
	sets []toolSet // the one that was used last is the first
}

// toolSet is tools as the service gets them, separated by commas.
type toolSet struct {
	specs  []model.ToolSpec
	marked bool
	text   []byte
}

// keptToolSets is how many are kept: personas have tools of their own.
const keptToolSets = 16

// JSON is the JSON of specs, which is kept and must not be changed. It is empty
// where there are none.
func (t *ToolSets) JSON(specs []model.ToolSpec, marked bool) ([]byte, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.sets, func(s toolSet) bool {
		return s.marked == marked && slices.EqualFunc(s.specs, specs, sameTool)
	})
	var set toolSet
	if i >= 0 {
		set = t.sets[i]
		t.sets = slices.Delete(t.sets, i, i+1)
	} else {
		text, err := t.Encode(specs, marked)
		if err != nil {
			return nil, err
		}
		set = toolSet{slices.Clone(specs), marked, text}
		t.sets = t.sets[:min(len(t.sets), keptToolSets-1)]
	}
	t.sets = slices.Insert(t.sets, 0, set)
	return set.text, nil
}

func sameTool(a, b model.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}
