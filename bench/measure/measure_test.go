package measure

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run measures the rows that were asked for and writes a page with a row for each figure:
// what it must reach on this machine, whether it does, and its note below the table.
func TestRun(t *testing.T) {
	rows := []Row[int]{
		{Name: "fast", Measure: func(int, context.Context) ([]Figure, error) {
			var s Series
			for _, v := range []float64{30, 10, 20} {
				s.AddBoth(v/10, v)
			}
			slow := s.Figure("r", "slower than its target", "ms", AtMost(15))
			slow.Note = "a note"
			return []Figure{slow, s.Figure("r", "on a machine half as fast", "ms", AtMost(15).Beside(1))}, nil
		}},
		{Name: "rate", Measure: func(int, context.Context) ([]Figure, error) {
			var s Series
			s.Add(false, 59.5)
			return []Figure{s.Figure("r", "of belay alone", "per s", AtLeast(58))}, nil
		}},
	}
	o := Options{Doc: filepath.Join(t.TempDir(), "page.md"), Rounds: 3}
	wanted, err := Select(o, rows)
	if err != nil {
		t.Fatal(err)
	}
	d := Document{Beside: "bare page", Introduction: "# Title\n", Method: "\nHow.\n", Machine: Machine{OS: "linux", Arch: "amd64", Cores: 2, Filesystem: "ext4", Go: "go1", Browser: "Chromium 1"}}
	if err := Run(t.Context(), o, 0, wanted, d, io.Discard); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(o.Doc)
	if err != nil {
		t.Fatal(err)
	}
	want := `# Title

Machine: 2 cores, linux/amd64, ext4, Chromium 1, built with go1. 3 rounds.

| what | bare page | belay | belay / bare | belay must reach | reached |
|---|---:|---:|---:|---:|---|
| slower than its target [1] | 2.00 ms | 20.0 ms | 10.00 | ≤ 15.0 ms | no |
| on a machine half as fast | 2.00 ms | 20.0 ms | 10.00 | ≤ 30.0 ms | yes |
| of belay alone | – | 59.5 per s | – | ≥ 58.0 per s | yes |

[1] a note.

How.
`
	if string(got) != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
	// Some rows make no page.
	o.Rows, o.Doc = "ra", filepath.Join(t.TempDir(), "none.md")
	if wanted, err = Select(o, rows); err != nil || len(wanted) != 1 {
		t.Fatalf("%d rows: %v", len(wanted), err)
	}
	if err := Run(t.Context(), o, 0, wanted, d, io.Discard); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(o.Doc); !os.IsNotExist(err) {
		t.Errorf("a part of the rows made a page: %v", err)
	}
	o.Rows = "none"
	if _, err := Select(o, rows); err == nil || !strings.Contains(err.Error(), "fast, rate") {
		t.Errorf("an expression that no row has gives %v", err)
	}
}
