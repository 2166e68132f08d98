package register

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
)

// newSummary is what a new deliverable has.
const newSummary = `# Dependencies: DEL-01-02 Some Name

## Dependency Tracking Mode
- **Mode:** TRACKED
- **Register:** Dependencies.csv (schema v3.1)

---

## Declared Upstream (I need these before I can proceed)
- DEL-01-09, see **Total ACTIVE rows:** 99

## Declared Downstream (These need me)
Dependencies coordinated externally by humans.

---

## Extracted Dependency Register
Not extracted yet.

---

## Lifecycle Summary
Not extracted yet.

---

## Run Notes
None yet.

## Run History
None yet.
`

var aRun = &Run{Date: "2026-03-04", Mode: "APPLY", Note: "a proposal"}

// follow is a summary that follows a change of its register.
func follow(t *testing.T, text string, before, after *Register, run *Run) (string, string) {
	t.Helper()
	s := ParseSummary([]byte(text))
	problem := s.Follow(before, after, "2026-02-02", run)
	return string(s.Bytes()), problem
}

// TestSummaryOfNew: where nothing was extracted yet, the summary becomes that of the
// specification.
//
// Covers: workspace 5.1, 5.2
func TestSummaryOfNew(t *testing.T) {
	t.Parallel()
	r := put(t, Parse(nil), anchor("DEP-01-02-001", "Confidence", "HIGH"), aRow("DEP-01-02-002", "TargetName", "A | pipe"), aRow("DEP-01-02-003", "Status", "RETIRED"))
	want := strings.NewReplacer(
		"## Extracted Dependency Register\nNot extracted yet.\n", `## Extracted Dependency Register
**Run date:** 2026-03-04
**Schema version:** v3.1
**Total ACTIVE rows:** 2
**ANCHOR rows (ACTIVE):** 1 (1 parent + 0 trace)
**EXECUTION rows (ACTIVE):** 1
**RETIRED rows:** 1

### ANCHOR Rows

| DependencyID | AnchorType | TargetType | TargetRefID / TargetName | Confidence |
|---|---|---|---|---|
| DEP-01-02-001 | IMPLEMENTS_NODE | WBS_NODE | SOW-1 | HIGH |

### EXECUTION Rows (summary)

| DependencyID | Direction | DependencyType | TargetType | Target | Confidence |
|---|---|---|---|---|---|
| DEP-01-02-002 | UPSTREAM | INTERFACE | DELIVERABLE | DEL-01-03: A \| pipe |  |
`, "## Lifecycle Summary\nNot extracted yet.\n", `## Lifecycle Summary

| Dimension | Count |
|---|---|
| ACTIVE | 2 |
| RETIRED | 1 |
| SatisfactionStatus TBD (ACTIVE) | 2 |
`, "## Run History\nNone yet.\n", "## Run History\n- 2026-03-04 — APPLY: a proposal\n").Replace(newSummary)
	for _, end := range []string{"\n", "\r\n"} {
		got, problem := follow(t, strings.ReplaceAll(newSummary, "\n", end), Parse(nil), r, aRun)
		if diff := cmp.Diff(strings.ReplaceAll(want, "\n", end), got); diff != "" || problem != "" {
			t.Errorf("%s (-want +got):\n%s", problem, diff)
		}
	}
	if codes := summaryCodes(t, want, r); len(codes) > 0 {
		t.Errorf("%v", codes)
	}
	// It follows from then on, with the day of the last run; other text stays.
	with := strings.NewReplacer("\n### ANCHOR", "\nA person's note, **Total ACTIVE rows:** 9.\n\n### ANCHOR", "None yet.", "- Two rows of a person.").Replace(want)
	after := put(t, r, anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "SatisfactionStatus", "PENDING"), aRow("DEP-01-02-003", "Status", "RETIRED"), aRow("DEP-01-02-004"))
	got, problem := follow(t, with, r, after, nil)
	wantAfter := strings.NewReplacer(
		"rows:** 2", "rows:** 3", "(ACTIVE):** 1\n", "(ACTIVE):** 2\n", "| HIGH |", "|  |", "DEL-01-03: A \\| pipe |  |", "DEL-01-03 |  |\n| DEP-01-02-004 | UPSTREAM | INTERFACE | DELIVERABLE | DEL-01-03 |  |",
		"| ACTIVE | 2 |", "| ACTIVE | 3 |", "TBD (ACTIVE) | 2 |", "TBD (ACTIVE) | 2 |\n| SatisfactionStatus PENDING (ACTIVE) | 1 |",
	).Replace(with)
	if diff := cmp.Diff(wantAfter, got); diff != "" || problem != "" {
		t.Errorf("%s (-want +got):\n%s", problem, diff)
	}
}

// TestSummaryOfOthers: figures that belay did not write are left alone, and so is the
// rest of the file.
func TestSummaryOfOthers(t *testing.T) {
	t.Parallel()
	before := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"))
	after := put(t, before, anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "Status", "RETIRED"))
	own, problem := follow(t, newSummary, Parse(nil), before, aRun)
	if problem != "" {
		t.Fatal(problem)
	}
	for name, text := range map[string]string{
		"another form":             canonicalSummary,
		"a scope":                  strings.Replace(canonicalSummary, "## Lifecycle Summary", "## Lifecycle Summary (EXECUTION only)", 1),
		"another number":           strings.Replace(own, "rows:** 2", "rows:** 3", 1),
		"another table":            strings.Replace(own, "| IMPLEMENTS_NODE |", "| implements |", 1),
		"a row more":               strings.Replace(own, "| SOW-1 |  |\n", "| SOW-1 |  |\n| DEP-01-02-009 | | | | |\n", 1),
		"another lifecycle":        strings.Replace(own, "| RETIRED | 0 |", "| RETIRED | none |", 1),
		"another placeholder":      strings.Replace(newSummary, "Not extracted yet.", "Not extracted yet, see the notes.", 1),
		"no section":               strings.Replace(newSummary, "## Extracted Dependency Register", "## Something", 1),
		"a scope, and nothing yet": strings.Replace(newSummary, "## Lifecycle Summary", "## Lifecycle Summary (EXECUTION only)", 1),
		"a lifecycle of its own":   strings.Replace(newSummary, "## Lifecycle Summary\nNot extracted yet.", "## Lifecycle Summary\nTwo rows are open.", 1),
	} {
		got, problem := follow(t, text, before, after, aRun)
		if problem == "" || got != text {
			t.Errorf("%s: %q\n%s", name, problem, cmp.Diff(text, got))
		}
	}
}

// TestSummaryReplaced: what a person wants replaced is, and other text in the sections
// stays.
func TestSummaryReplaced(t *testing.T) {
	t.Parallel()
	r := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"), aRow("DEP-01-02-003", "Status", "RETIRED"))
	text := strings.NewReplacer(
		"### ANCHOR Rows", "A note in between: `Dependencies.csv` (3 rows; 2 ACTIVE, 1 RETIRED).\n\n### ANCHOR Rows", "## Lifecycle Summary\n", "## Lifecycle Summary\n\n### Closure (EXECUTION only)\n",
		"## Run Notes", "### Integrity\n- one parent\n\n## Run Notes",
	).Replace(canonicalSummary)
	s := ParseSummary([]byte(text))
	s.Replace(r, "2026-03-04")
	own, problem := follow(t, newSummary, Parse(nil), r, &Run{Date: "2026-01-02"})
	if problem != "" {
		t.Fatal(problem)
	}
	got := string(s.Bytes())
	_, wantRegister, _ := strings.Cut(own, "## Extracted")
	wantRegister, _, _ = strings.Cut(wantRegister, "\n---")
	// The note stood under the section's heading, and no table's heading comes before it.
	wantRegister = strings.Replace("## Extracted"+wantRegister, "\n### ANCHOR", "\nA note in between: `Dependencies.csv` (3 rows; 2 ACTIVE, 1 RETIRED).\n\n### ANCHOR", 1) + "\n---\n"
	wantRegister = strings.Replace(wantRegister, "\n---\n", "\n### Remarks\n\n- `DEP-01-02-002`, Target: as people call it\n\n---\n", 1)
	if !strings.Contains(got, wantRegister) || !strings.Contains(got, "| SatisfactionStatus TBD (ACTIVE) | 2 |\n\n---\n\n### Integrity\n- one parent\n") {
		t.Errorf("it is:\n%s", got)
	}
	if strings.Contains(got, "### Closure") {
		t.Errorf("what belay owns stays:\n%s", got)
	}
	if !s.Agrees(r) {
		t.Errorf("%v", summaryCodes(t, got, r))
	}
	again := ParseSummary(s.Bytes())
	if again.Replace(r, "2026-03-05"); !bytes.Equal(again.Bytes(), s.Bytes()) {
		t.Errorf("replaced again (-want +got):\n%s", cmp.Diff(got, string(again.Bytes())))
	}
}

// TestSummaryCorpora: no real summary changes when its register does, since nobody
// knows what else its figures say. Replaced, they are true, and what is not belay's
// stays.
func TestSummaryCorpora(t *testing.T) {
	t.Parallel()
	summaries := 0
	err := filepath.WalkDir(corpus(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "Dependencies.csv" {
			return err
		}
		name := filepath.Join(filepath.Dir(path), "_DEPENDENCIES.md")
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		summaries++
		r, s := parseFile(t, path), ParseSummary(data)
		if problem := s.Follow(r, r, "2026-03-04", aRun); problem == "" || !bytes.Equal(s.Bytes(), data) {
			t.Errorf("%s: it was changed: %q", name, problem)
		}
		rest := others(data)
		s.Replace(r, "2026-03-04")
		if diff := cmp.Diff(rest, others(s.Bytes())); diff != "" {
			t.Errorf("%s: other sections changed:\n%s", name, diff)
		}
		after := ParseSummary(s.Bytes())
		for _, f := range after.Check(name, filepath.Base(filepath.Dir(path)), r) {
			if slices.Contains([]string{ruleLabels.Code, ruleNotListed.Code, ruleListedUnknown.Code}, f.Code) {
				t.Errorf("%s:%d: %s", name, f.Line, f.Message)
			}
		}
		// No number that was right is judged by another heading than before.
		if was, is := len(ParseSummary(data).checkCounts(name, r)), len(after.checkCounts(name, r)); is > was {
			t.Errorf("%s: %d numbers were wrong, %d are", name, was, is)
		}
		for _, table := range ParseSummary(data).listings() {
			for _, row := range table.Rows {
				for _, cell := range row.Cells {
					if len(wordsIn(cell)) > 4 && !strings.Contains(string(s.Bytes()), cell) && !inRegister(r, cell) {
						t.Errorf("%s lost %q of a table", name, cell)
					}
				}
			}
		}
		for _, line := range prose(ParseSummary(data)) {
			if !slices.Contains(prose(after), line) {
				t.Errorf("%s lost %q", name, line)
			}
		}
		if problem := after.Follow(r, r, "2026-03-05", nil); problem != "" {
			t.Errorf("%s: belay does not know what it wrote: %s", name, problem)
		}
		return nil
	})
	if err != nil || summaries == 0 {
		t.Fatalf("%d summaries: %v", summaries, err)
	}
}

// others are the lines outside of the two sections that belay writes in.
func others(data []byte) []string {
	s := ParseSummary(data)
	var lines []string
	for _, p := range s.parts {
		for i := p.first; i < p.end && p.name != sectionRegister && p.name != sectionLifecycle; i++ {
			lines = append(lines, s.doc.Line(i))
		}
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1] // a section may be added after it
	}
	return lines
}

// inRegister reports whether each part of a text, of four words or more, stands in a cell.
func inRegister(r *Register, text string) bool {
	for part := range strings.SplitSeq(strings.NewReplacer(" -- ", "|", " — ", "|", ":", "|", "(", "|", ")", "|").Replace(text), "|") {
		if id, rest, both := strings.Cut(strings.TrimSpace(part), " "); both && strings.ContainsAny(id, "0123456789") && strings.Contains(id, "-") {
			part = rest // an id may stand before a name
		}
		words := strings.Join(wordsIn(part), " ")
		found := strings.Count(words, " ") < 3
		for i := range r.rows {
			for c := range r.columns {
				cell := strings.Join(wordsIn(r.cellOf(int(r.rows[i]), c)), " ")
				found = found || strings.Contains(cell, words) || strings.Count(cell, " ") > 2 && strings.Contains(words, cell)
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// prose are the lines of the two sections that are no tables, headings or labels.
func prose(s *Summary) []string {
	var lines []string
	for _, name := range []string{sectionRegister, sectionLifecycle} {
		p, _ := s.part(name)
		for i := p.first + 1; i < p.end; i++ {
			line := s.doc.Line(i)
			label := slices.ContainsFunc(figureLabels, func(l string) bool { return strings.Contains(strings.ToLower(line), strings.ToLower(l)) })
			if line != "" && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") && !label {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// FuzzSummary: a change of the register leaves alone what is not belay's, and what is
// replaced is what belay knows as its own.
func FuzzSummary(f *testing.F) {
	f.Add([]byte(canonicalSummary), true)
	f.Add([]byte(newSummary), false)
	f.Add([]byte("## Upstream\n### Run History\n## Run History\n- 2026 — x\n## Extracted Dependency Register\n### EXECUTION Rows (3 ACTIVE)\n| DependencyID |\n|-|\n|`DEP-01-02-002`"), true)
	f.Add([]byte("## Extracted Dependency Register\n|DependencyID|Own|\n|-|-|\n|DEP-01-02-002|**RETIRED rows:** 7|\n---"), true)
	f.Add([]byte("\ufeff## Lifecycle Summary\r|Class|ACTIVE|RETIRED|\r|---|---|---|\r|ANCHOR|1|2|\r\r|Status|Count|\r|-|-|\r|TBD|7"), true)
	base := Parse(nil)
	before, _, err := base.Put([]map[string]string{anchor("DEP-01-02-001"), aRow("DEP-01-02-002")}, host)
	if err != nil {
		f.Fatal(err)
	}
	after, _, err := before.Put([]map[string]string{anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "Status", "RETIRED"), aRow("DEP-01-02-003", "TargetName", "a | b")}, host)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, replace bool) {
		s := ParseSummary(data)
		if !bytes.Equal(s.Bytes(), data) {
			t.Fatal("it is not what it was")
		}
		s.Check("x", host, before)
		if !s.Text() {
			return // nobody writes in it
		}
		rest := others(data)
		if replace {
			s.Replace(before, "2026-01-02")
			if diff := cmp.Diff(rest, others(s.Bytes())); diff != "" {
				t.Fatalf("other sections changed:\n%s\nin\n%s", diff, s.Bytes())
			}
			data = s.Bytes()
		}
		problem := s.Follow(before, after, "2026-02-02", nil)
		if replace && problem != "" && !strings.Contains(problem, "about some rows only") {
			t.Fatalf("%s:\n%s", problem, data)
		}
		if problem != "" && !bytes.Equal(s.Bytes(), data) {
			t.Fatalf("%s, and it was changed:\n%s", problem, s.Bytes())
		}
		if diff := cmp.Diff(rest, others(s.Bytes())); diff != "" {
			t.Fatalf("other sections changed:\n%s\nin\n%s", diff, s.Bytes())
		}
		found := ParseSummary(s.Bytes()).Check("x", host, after)
		if problem == "" && slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == ruleLabels.Code || f.Code == ruleNotWritten.Code }) {
			t.Fatalf("%v in\n%s", found, s.Bytes())
		}
	})
}
