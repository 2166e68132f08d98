package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"belay/internal/model"
)

// Sets are kept up to a number, and a tool that changed is not taken for another.
func TestToolSetsAreKept(t *testing.T) {
	t.Parallel()
	sets := ToolSets{Encode: func(specs []model.ToolSpec, _ bool) ([]byte, error) { return json.Marshal(specs) }}
	for i := range 3 * keptToolSets {
		box := []model.ToolSpec{{Name: "a"}, {Name: "b", Description: "what it does", Schema: json.RawMessage(`{"type":"object"}`)}}
		box[0].Name = fmt.Sprintf("other_%d", i)
		text, err := sets.JSON(box, false)
		if err != nil || !bytes.Contains(text, []byte(box[0].Name)) {
			t.Fatalf("%s, %v", text, err)
		}
		again, err := sets.JSON(box, false)
		if err != nil || &again[0] != &text[0] {
			t.Fatalf("made again (%v)", err)
		}
	}
	if len(sets.sets) != keptToolSets {
		t.Errorf("%d sets are kept, want %d", len(sets.sets), keptToolSets)
	}
}
