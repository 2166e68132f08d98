package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
)

// Document is the page that a benchmark writes.
type Document struct {
	// Beside names what stands beside belay: "bare server".
	Beside string
	// Introduction stands above the table, Method below it; both are Markdown.
	Introduction, Method string
	Machine              Machine
}

// write writes the figures as JSON and as a page, each where an option asks for it.
func (d Document) write(o Options, all []Figure) error {
	if o.JSON != "" {
		data, err := json.MarshalIndent(struct {
			Machine  Machine  `json:"machine"`
			Rounds   int      `json:"rounds"`
			Measures []Figure `json:"measures"`
		}{d.Machine, o.Rounds, all}, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.JSON, append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	if o.Doc == "" || o.Rows != "" {
		return nil
	}
	return os.WriteFile(o.Doc, []byte(d.page(o.Rounds, all)), 0o644)
}

// page is the whole page. It has no date, so that it changes only when the figures do.
func (d Document) page(rounds int, all []Figure) string {
	var b strings.Builder
	b.WriteString(d.Introduction)
	fmt.Fprintf(&b, "\nMachine: %s. %d rounds.\n\n", d.Machine, rounds)
	fmt.Fprintf(&b, "| what | %s | belay | belay / bare | belay must reach | reached |\n|---|---:|---:|---:|---:|---|\n", d.Beside)
	var notes []string
	for _, f := range all {
		ratio := "–"
		if r := f.Ratio(); !math.IsNaN(r) {
			ratio = fmt.Sprintf("%.2f", r)
		}
		what := f.What
		if f.Note != "" {
			notes = append(notes, f.Note)
			what += fmt.Sprintf(" [%d]", len(notes))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", what, f.figure(f.Bare), f.figure(f.Belay), ratio, f.TargetText(), f.Verdict())
	}
	for i, n := range notes {
		fmt.Fprintf(&b, "\n[%d] %s.", i+1, n)
	}
	if len(notes) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(d.Method)
	return b.String()
}
