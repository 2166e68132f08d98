package conversation

import (
	"testing"

	"belay/internal/model"
)

// What could not be written is not said, also where the provider gave the whole text, too.
func TestUnsay(t *testing.T) {
	t.Parallel()
	for n, want := range []string{"said", "sai"} {
		var a Answer
		a.Text.WriteString("said")
		a.Add(model.Text{Text: "said"})
		a.Unsay(n)
		if got := a.Said(); got != want {
			t.Errorf("without %d bytes: %q", n, got)
		}
	}
}
