package validate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/workspace/layout"
	"belay/internal/workspace/scaffold"
)

// Roots with any numbering, in any form, have no finding when they are made, and only
// those of forms when people write the same otherwise.
// Covers: workspace 4.1, 10.2, 12.3
func TestGeneratedRoots(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := newGenerated(rand.New(rand.NewPCG(seed, 11)))
			home := t.TempDir()
			paper, root := filepath.Join(home, "plan.md"), filepath.Join(home, "root")
			if err := os.WriteFile(paper, []byte(g.text), 0o600); err != nil {
				t.Fatal(err)
			}
			made := func() scaffold.Result {
				t.Helper()
				res, err := scaffold.Run(context.Background(), scaffold.Request{ExecutionRoot: root, DecompositionPath: paper},
					scaffold.Options{LockDir: t.TempDir(), MaxBytes: 1 << 20, Clock: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }})
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			if res := made(); len(res.Findings) > 0 || res.DeliverableCount != g.deliverables {
				t.Fatalf("%d of %d deliverables are made: %+v\n%s", res.DeliverableCount, g.deliverables, res.Findings, g.text)
			}
			for _, f := range validated(t, root, Options{}).Findings {
				t.Errorf("%+v\n%s", f, g.text)
			}
			g.rewrite(t, root)
			for _, f := range validated(t, root, Options{}).Findings {
				if f.Severity == "error" || !g.allowed[f.Code] {
					t.Errorf("%s %s: %s", f.Code, f.Path, f.Message)
				}
			}
			if res := made(); len(res.Created.Directories)+len(res.Created.Files) > 0 || len(res.Findings) > 0 {
				t.Errorf("a second run made %+v, and found %+v", res.Created, res.Findings)
			}
		})
	}
}

// generated is a decomposition, and how people write the files of its root.
type generated struct {
	r            *rand.Rand
	text         string
	deliverables int
	// short is set where ids have short names, by which folders are called.
	short bool
	// allowed are the findings about the forms that rewrite gives the files.
	allowed map[string]bool
}

var generatedNames = []string{"Roof & Walls", "Signs: north", "Brücke (60'×100')", "Plan / Section", "Étude", "A \"quoted\" name", "Lot 4 — East"}

func newGenerated(r *rand.Rand) *generated {
	g := &generated{r: r, short: r.IntN(2) == 0, allowed: map[string]bool{}}
	wide := []string{"%02d", "%03d"}[r.IntN(2)]
	first, count := 1+r.IntN(60), 1+r.IntN(4)
	stated, form := r.IntN(2) == 0, r.IntN(3)
	var b strings.Builder
	b.WriteString("# Generated — Decomposition\n\n| ScopeItemID | Statement |\n|---|---|\n| SOW-001 | a |\n| SOW-003 | c |\n\n| ObjectiveID | Objective |\n|---|---|\n| OBJ-001 | o |\n")
	for i := range count {
		name := generatedNames[r.IntN(len(generatedNames))]
		fmt.Fprintf(&b, "\n%s PKG-"+wide+" — %s\n", []string{"##", "### 4.1"}[r.IntN(2)], first+i, name)
		for j := range 1 + r.IntN(3) {
			number := 70 + i // of no package
			if stated {
				number = first + (i+1)%count // of another one
			}
			g.deliverables++
			id := fmt.Sprintf("DEL-"+wide+"-%02d", number, 10*i+j+1)
			short := ""
			if g.short {
				short = fmt.Sprintf("_Short-%d", j)
			}
			title := generatedNames[r.IntN(len(generatedNames))]
			pkg := fmt.Sprintf("PKG-"+wide, first+i)
			switch {
			case form == 0:
				fmt.Fprintf(&b, "\n#### %s%s\n- **Name:** %s\n", id, short, title)
				if stated {
					fmt.Fprintf(&b, "- **Parent Package:** %s\n", pkg)
				}
				b.WriteString("- **Description:** It is made,\n  and tested.\n- **Acceptance Criteria:**\n  - No leak\n- **Scope Items:** SOW-001 to SOW-003\n- **Objectives:** OBJ-001\n")
			case stated:
				fmt.Fprintf(&b, "\n| DeliverableID | Work Package | Name | Description | Covers Scope Items |\n|---|---|---|---|---|\n| %s%s | %s | %s | It is made. | SOW-001–SOW-003 |\n", id, short, pkg, title)
			default:
				fmt.Fprintf(&b, "\n| # | ID | Deliverable | Discipline |\n|---|---|---|---|\n| %d | **%s%s** | %s | Civil |\n", j, id, short, title)
			}
		}
	}
	g.text = b.String()
	return g
}

// rewrite gives folders and files of a root the forms that people give them.
func (g *generated) rewrite(t *testing.T, root string) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "PKG-*", "1_Working", "DEL-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range folders {
		file := filepath.Join(at, layout.ContextFile)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		switch g.r.IntN(4) {
		case 0:
			text = strings.Replace(text, "**Decomposition file:**", "**Reference:**", 1)
			g.allowed[ruleContextForm.Code] = true
		case 1:
			text = strings.Replace(text, "## Scope Traceability", "## Scope Coverage", 1)
			g.allowed[ruleContextSection.Code] = true
		case 2:
			text = strings.ReplaceAll(text, "\n", "\r\n")
		case 3:
			text = strings.ReplaceAll(strings.Replace(text, "It is made", "It  is **made**", 1), "- No leak", "1. no leak")
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		id, label, _ := strings.Cut(filepath.Base(at), "_")
		if label = strings.ReplaceAll(label, " ", "_"); g.short {
			label = g.shortOf(id)
		}
		to := filepath.Join(filepath.Dir(at), id+"_"+label)
		if to == at {
			continue
		}
		if err := os.Rename(at, to); err != nil {
			t.Fatal(err)
		}
	}
}

// shortOf is the short name that the decomposition gives an id.
func (g *generated) shortOf(id string) string {
	_, after, _ := strings.Cut(g.text, id+"_")
	return after[:len("Short-0")]
}
