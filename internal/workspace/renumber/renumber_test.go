package renumber

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/registerfile"
	"belay/internal/workspace/registerlint"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/undo"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const today = "2026-03-04"

func clock() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

func store(t *testing.T) (*undo.Store, changeset.Writer) {
	made := 0
	state := t.TempDir()
	w := changeset.Writer{LockDir: filepath.Join(state, "locks"), Journal: journal.New(filepath.Join(state, "journal"), clock)}
	return undo.New(undo.Options{Writer: w, Dir: filepath.Join(state, "undo"), Clock: clock, NewID: func() string { made++; return fmt.Sprintf("change-%d", made) }}), w
}

func plan(t *testing.T, root string) *Plan {
	t.Helper()
	found, err := scan.Scan(t.Context(), root, scan.Options{})
	must(t, err)
	p, err := Make(t.Context(), root, found, today)
	must(t, err)
	return p
}

// write makes the changes of a plan.
func write(t *testing.T, s *undo.Store, root string, p *Plan) error {
	t.Helper()
	_, err := s.Make(t.Context(), root, "deps renumber", "me", p.Files)
	return err
}

// contents are all files of a root, but those of belay's own that nobody changed.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		if err != nil || e.IsDir() || strings.HasPrefix(rel, ".belay") && !strings.Contains(rel, "proposals") {
			return err
		}
		data, err := os.ReadFile(path)
		info, statErr := e.Info()
		must(t, statErr)
		all[rel] = info.Mode().String() + string(data)
		return err
	}))
	return all
}

// idCodes are the findings about ids that are invalid.
var idCodes = []string{
	"INVALID_DEPENDENCY_ID_FORMAT", "DUPLICATE_DEPENDENCY_ID", "INVALID_FROM_DELIVERABLE_ID", "INCONSISTENT_FROM_DELIVERABLE",
	"INVALID_TARGET_DELIVERABLE_ID", "FROM_DELIVERABLE_NOT_HOST", "DEPENDENCY_ID_NOT_HOST", "DEPENDENCIES_ROW_UNKNOWN",
}

// findings are the ones with these codes.
func findings(t *testing.T, root string, codes []string) (all []string) {
	t.Helper()
	found, err := scan.Scan(t.Context(), root, scan.Options{})
	must(t, err)
	report, err := registerlint.Lint(t.Context(), root, found, registerlint.Options{})
	must(t, err)
	for _, file := range report.Files {
		for _, f := range file.Findings {
			if slices.Contains(codes, f.Code) {
				all = append(all, f.Path+" "+f.Code+": "+f.Message)
			}
		}
	}
	return all
}

// TestCorpora: on every real root all ids become valid, in the register and where the
// summary names them, and undo gives back every byte.
//
// Covers: workspace 6.8
func TestCorpora(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	roots, err := filepath.Glob(filepath.Join(corpora, "*"))
	must(t, err)
	changed := 0
	for _, corpus := range roots {
		root := filepath.Join(t.TempDir(), "root")
		if packages, _ := filepath.Glob(filepath.Join(corpus, "PKG-*")); len(packages) == 0 {
			continue
		}
		must(t, filepath.WalkDir(corpus, func(path string, e fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(corpus, path)
			if err != nil || e.IsDir() || !slices.Contains([]string{".csv", ".md"}, filepath.Ext(rel)) || !strings.HasPrefix(rel, "PKG-") {
				return err
			}
			data, err := os.ReadFile(path)
			must(t, err)
			must(t, os.MkdirAll(filepath.Join(root, filepath.Dir(rel)), 0o755))
			return os.WriteFile(filepath.Join(root, rel), data, 0o640)
		}))
		before := contents(t, root)
		// What a summary says that no register has had in any form is not about ids.
		known := findings(t, root, []string{"DEPENDENCIES_ROW_UNKNOWN"})
		p := plan(t, root)
		if diff := cmp.Diff(before, contents(t, root)); diff != "" {
			t.Fatalf("%s: a plan changes files:\n%s", corpus, diff)
		}
		for _, r := range p.Registers {
			changed += len(r.Changes)
			if len(r.Left) > 0 {
				t.Errorf("%s: ids stay: %+v", r.Path, r.Left)
			}
		}
		if len(p.Files) == 0 {
			if left := findings(t, root, idCodes[:5]); len(left) > 0 {
				t.Errorf("nothing to do, and %d findings: %s", len(left), left[0])
			}
			continue
		}
		s, _ := store(t)
		must(t, write(t, s, root, p))
		for _, f := range findings(t, root, idCodes) {
			if !slices.Contains(known, f) {
				t.Errorf("%s", f)
			}
		}
		if again := plan(t, root); len(again.Files) > 0 {
			t.Errorf("%s: done again, %d files change", corpus, len(again.Files))
		}
		_, err = s.Undo(t.Context(), root, "", "me")
		must(t, err)
		if diff := cmp.Diff(before, contents(t, root)); diff != "" {
			t.Errorf("%s: undo leaves:\n%s", corpus, diff)
		}
	}
	if changed == 0 {
		t.Error("no id of the corpora changes")
	}
}

const (
	header = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
		"TargetType,TargetDeliverableID,EvidenceFile,SourceRef,EvidenceQuote,SatisfactionStatus,Origin,FirstSeen,LastSeen,Status,Own\n"
	survey = "PKG-01_Site/1_Working/DEL-01-02_Land Survey/"
	plans  = "PKG-01_Site/1_Working/DEL-01-03_Site Plan/"
)

func row(id, from, kind, target string) string {
	return "v3.1," + id + ",PKG-01," + from + ",Name,EXECUTION,NOT_APPLICABLE,INBOUND,INTERFACE," + kind + "," + target + ",x,y,q,TBD,EXTRACTED,2026-01-01,2026-01-02,ACTIVE,\"a, b\"\n"
}

// root makes a project of files.
func root(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// TestForms: ids of many forms, and what is said of them elsewhere.
func TestForms(t *testing.T) {
	t.Parallel()
	register := header +
		row("DEP-01-02-003", "DEL-01-02", "DELIVERABLE", "DEL-01-03") + // valid: it stays
		row("\"DEP-0102-A01\"", "DEL-01-02_Land-Survey", "DELIVERABLE", "DEL-01-03_Site-Plan") +
		row("DEP-0102-E01", "Land Survey", "DELIVERABLE", "DEL-0103") +
		row("dep-01-02-003", "DEL-01-02", "DELIVERABLE", "Site plan") +
		row("", "DEL-01-02", "DOCUMENT", "") +
		row("DEP-01-02-003", "DEL-01-03_Other", "DELIVERABLE", "DEL-01-02 and DEL-01-03") +
		row("17", "DEL-01-02", "DOCUMENT", "")
	summary := "# Dependencies: DEL-01-02 Land Survey\n\n## Declared Upstream\n- see DEP-0102-A01, (DEP-0102-E01).\n\n## Extracted Dependency Register\n\n" +
		"| DependencyID | Direction |\n|---|---|\n| DEP-0102-A01 | UP |\n| `DEP-0102-E01` | UP |\n| 17 | 17 |\n\n## Run Notes\n- 17 rows; not DEP-0102-E011, x/DEP-0102-A01/y\n\n## Run History\n- 2026-01-01 — MADE: DEP-0102-A01\n"
	dir := root(t, map[string]string{
		survey + "_STATUS.md": "**Current State:** OPEN\n", survey + "Dependencies.csv": register, survey + "_DEPENDENCIES.md": summary,
		plans + "_STATUS.md": "**Current State:** OPEN\n", plans + "Dependencies.csv": header + row("DEP-01-03-001", "DEL-01-03", "DELIVERABLE", "DEL-01-02"),
		plans + "_DEPENDENCIES.md": "# Dependencies: DEL-01-03 Site Plan\n\n## Run Notes\n- its DEP-0102-A01\n",
		// What is archived or issued does not change.
		"PKG-01_Site/3_Issued/DEL-01-02_Land Survey/Dependencies.csv": register,
	})
	p := plan(t, dir)
	var ids, left []string
	for _, r := range p.Registers {
		for _, c := range r.Changes {
			ids = append(ids, fmt.Sprintf("%d %s > %s", c.Row, c.Before, c.After))
		}
		for _, l := range r.Left {
			left = append(left, fmt.Sprintf("%d %s: %s", l.Row, l.Value, l.Problem))
		}
	}
	want := []string{
		"3 DEP-0102-A01 > DEP-01-02-001", "3 DEL-01-02_Land-Survey > DEL-01-02", "3 DEL-01-03_Site-Plan > DEL-01-03",
		"4 DEP-0102-E01 > DEP-01-02-004", "4 Land Survey > DEL-01-02", "4 DEL-0103 > DEL-01-03",
		"5 dep-01-02-003 > DEP-01-02-005", "5 Site plan > DEL-01-03", "6  > DEP-01-02-006", "7 DEP-01-02-003 > DEP-01-02-007", "8 17 > DEP-01-02-017",
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	wantLeft := []string{"7 DEL-01-03_Other: it means DEL-01-03, and the register is that of DEL-01-02", "7 DEL-01-02 and DEL-01-03: it names several deliverables"}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	after := map[string]string{}
	for _, f := range p.Files {
		after[f.Path] = string(f.After)
	}
	if len(after) != 3 {
		t.Fatalf("%d files change", len(after))
	}
	wantRegister := header +
		row("DEP-01-02-003", "DEL-01-02", "DELIVERABLE", "DEL-01-03") +
		row("\"DEP-01-02-001\"", "DEL-01-02", "DELIVERABLE", "DEL-01-03") +
		row("DEP-01-02-004", "DEL-01-02", "DELIVERABLE", "DEL-01-03") +
		row("DEP-01-02-005", "DEL-01-02", "DELIVERABLE", "DEL-01-03") +
		row("DEP-01-02-006", "DEL-01-02", "DOCUMENT", "") +
		row("DEP-01-02-007", "DEL-01-03_Other", "DELIVERABLE", "DEL-01-02 and DEL-01-03") +
		row("DEP-01-02-017", "DEL-01-02", "DOCUMENT", "")
	if diff := cmp.Diff(wantRegister, after[survey+"Dependencies.csv"]); diff != "" {
		t.Errorf("the register (-want +got):\n%s", diff)
	}
	wantSummary := strings.NewReplacer("see DEP-0102-A01", "see DEP-01-02-001", "(DEP-0102-E01)", "(DEP-01-02-004)", "| DEP-0102-A01", "| DEP-01-02-001", "`DEP-0102-E01`", "`DEP-01-02-004`",
		"| 17 | 17 |", "| DEP-01-02-017 | 17 |").Replace(summary) +
		"- 2026-03-04 — RENUMBER: 11 ids made valid: DEP-0102-A01 > DEP-01-02-001, DEP-0102-E01 > DEP-01-02-004, dep-01-02-003 > DEP-01-02-005, DEP-01-02-003 > DEP-01-02-007, 17 > DEP-01-02-017\n"
	if diff := cmp.Diff(wantSummary, after[survey+"_DEPENDENCIES.md"]); diff != "" {
		t.Errorf("the summary (-want +got):\n%s", diff)
	}
	if got := after[plans+"_DEPENDENCIES.md"]; !strings.HasSuffix(got, "- its DEP-01-02-001\n") {
		t.Errorf("another's summary:\n%s", got)
	}
}

// TestProposals: a proposal that waits gets the ids of its register, and is not older
// than it because of that.
func TestProposals(t *testing.T) {
	t.Parallel()
	dir := root(t, map[string]string{
		survey + "_STATUS.md":       "**Current State:** OPEN\n",
		survey + "Dependencies.csv": header + row("DEP-0102-A01", "DEL-01-02", "DELIVERABLE", "DEL-01-03") + row("DEP-0102-A02", "DEL-01-02", "DELIVERABLE", "DEL-01-03"),
	})
	locks := t.TempDir()
	files := registerfile.New(registerfile.Options{Writer: changeset.Writer{LockDir: locks, Journal: journal.New(t.TempDir(), clock)}, Clock: clock})
	proposals := proposal.New(proposal.Options{Files: files, LockDir: locks, Clock: clock, NewID: func() string { return "proposal-1" }})
	d, err := workspace.FindDeliverable(dir, filepath.Join(dir, filepath.FromSlash(survey)))
	must(t, err)
	content := "DependencyID,LastSeen\nDEP-0102-A01,2026-02-02\n"
	_, err = proposals.Add(t.Context(), d, proposal.Request{By: "agent", Complete: true, Content: []byte(content)})
	must(t, err)
	before := contents(t, dir)
	s, _ := store(t)
	must(t, write(t, s, dir, plan(t, dir)))
	shown, err := proposals.Show(context.Background(), dir, "proposal-1", proposal.Settle{Retire: true})
	must(t, err)
	if shown.Stale || len(shown.Diff.New) != 0 || len(shown.Diff.Confirmed) != 1 || shown.Diff.Confirmed[0].ID != "DEP-01-02-001" ||
		len(shown.Diff.Retired) != 1 || shown.Diff.Retired[0].ID != "DEP-01-02-002" {
		t.Errorf("stale %v, %+v", shown.Stale, shown.Diff)
	}
	_, err = s.Undo(t.Context(), dir, "", "me")
	must(t, err)
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("undo leaves:\n%s", diff)
	}
}

// TestProposedIDsStayFree: the id of a row that is to come is given to no other row, which
// the proposal would then change.
func TestProposedIDsStayFree(t *testing.T) {
	t.Parallel()
	dir := root(t, map[string]string{
		survey + "_STATUS.md":       "**Current State:** OPEN\n",
		survey + "Dependencies.csv": header + row("DEP-0102-A01", "DEL-01-02", "DELIVERABLE", "DEL-01-03"),
	})
	locks := t.TempDir()
	files := registerfile.New(registerfile.Options{Writer: changeset.Writer{LockDir: locks, Journal: journal.New(t.TempDir(), clock)}, Clock: clock})
	proposals := proposal.New(proposal.Options{Files: files, LockDir: locks, Clock: clock, NewID: func() string { return "proposal-1" }})
	d, err := workspace.FindDeliverable(dir, filepath.Join(dir, filepath.FromSlash(survey)))
	must(t, err)
	_, err = proposals.Add(t.Context(), d, proposal.Request{By: "agent", Content: []byte(header + row("DEP-01-02-001", "DEL-01-02", "DELIVERABLE", "DEL-01-04"))})
	must(t, err)
	s, _ := store(t)
	must(t, write(t, s, dir, plan(t, dir)))
	shown, err := proposals.Show(context.Background(), dir, "proposal-1", proposal.Settle{})
	must(t, err)
	if shown.Stale || len(shown.Diff.New) != 1 || shown.Diff.New[0].ID != "DEP-01-02-001" || len(shown.Diff.Confirmed) != 0 {
		t.Errorf("stale %v, %+v", shown.Stale, shown.Diff)
	}
}

// TestChangedMeanwhile: one file that somebody changed keeps all others from changing,
// when ids are made valid and when that is taken back.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := root(t, map[string]string{
		survey + "_STATUS.md": "**Current State:** OPEN\n", survey + "Dependencies.csv": header + row("DEP-1", "DEL-01-02", "DOCUMENT", ""),
		plans + "_STATUS.md": "**Current State:** OPEN\n", plans + "Dependencies.csv": header + row("DEP-1", "DEL-01-03", "DOCUMENT", ""),
	})
	s, _ := store(t)
	p := plan(t, dir)
	edited := filepath.Join(dir, filepath.FromSlash(plans), "Dependencies.csv")
	was, err := os.ReadFile(edited)
	must(t, err)
	refused := func(what string, err error) {
		t.Helper()
		if e := fault.From(err); e == nil || e.Type != fault.ContentChanged || !cmp.Equal(e.Details["paths"], []string{plans + "Dependencies.csv"}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, os.WriteFile(edited, append(bytes.Clone(was), '\n'), 0o600))
	before := contents(t, dir)
	refused("made", write(t, s, dir, p))
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("half made:\n%s", diff)
	}
	if _, err := s.Undo(t.Context(), dir, "", "me"); !fault.Is(err, fault.NotFound) {
		t.Errorf("undo of nothing: %v", err)
	}
	must(t, os.WriteFile(edited, was, 0o600))
	must(t, write(t, s, dir, p))
	must(t, os.WriteFile(edited, append(bytes.Clone(was), '\n'), 0o600))
	before = contents(t, dir)
	_, err = s.Undo(t.Context(), dir, "", "me")
	refused("taken back", err)
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("half taken back:\n%s", diff)
	}
	if all, err := s.List(t.Context(), dir); err != nil || len(all) != 1 || all[0].Undone != nil {
		t.Errorf("%+v, %v", all, err)
	}
}
