package progress

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/graph/load"
	"belay/internal/workspace/scan"
)

// of is the report of a project with these files, by their names.
func of(t *testing.T, files map[string]string) *Report {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return at(t, root)
}

func at(t *testing.T, root string) *Report {
	t.Helper()
	r, err := scan.Scan(t.Context(), root, scan.Options{Visited: true})
	if err != nil {
		t.Fatal(err)
	}
	g, unread, err := load.Graph(t.Context(), root, r.Deliverables)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Of(t.Context(), root, r, g, len(unread), Options{Today: "2026-11-26"})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

const register = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType,TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness,RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes\n"

// needs is a row by which a deliverable waits for another one.
func needs(id, from, to string) string {
	return "v3.1," + id + ",PKG-01," + from + ",a,EXECUTION,NOT_APPLICABLE,UPSTREAM,PREREQUISITE,DELIVERABLE,PKG-01," + to + ",,b,,It needs it.,Datasheet.md,1,quote,EXPLICIT,,,PENDING,HIGH,EXTRACTED,2026-01-01,2026-01-01,ACTIVE,\n"
}

func TestWhereAProjectStands(t *testing.T) {
	t.Parallel()
	const first, second, third = "PKG-01_A/1_Working/DEL-01-01_x", "PKG-01_A/1_Working/DEL-01-02_y", "PKG-01_A/1_Working/DEL-01-03_z"
	status := func(state, day string) string {
		return "# Status\n\n**Current State:** " + state + "\n**Last Updated:** " + day + "\n\n## History\n- " + day + " — State set to " + state + " (HUMAN)\n"
	}
	r := of(t, map[string]string{
		first + "/_STATUS.md":        status("OPEN", "2026-01-02"),
		first + "/Dependencies.csv":  register + needs("DEP-01-01-001", "DEL-01-01", "DEL-01-02") + needs("DEP-01-01-002", "DEL-01-01", "DEL-01-02"),
		second + "/_STATUS.md":       status("OPEN", "soon"),
		second + "/Dependencies.csv": register + needs("DEP-01-02-001", "DEL-01-02", "DEL-01-01"),
		third + "/Datasheet.md":      "# Without a status\n",
	})
	type standing struct {
		Path, Since, Ready string
		Blockers           int
		WaitsFor           string
		Circle             bool
	}
	var got []standing
	for _, d := range r.Deliverables {
		got = append(got, standing{d.Path, d.Since, string(d.Ready), d.Blockers, strings.Join(d.WaitsFor, " "), d.Circle})
		if d.Errors == 0 {
			t.Errorf("%s has no errors, though files are missing", d.Path)
		}
	}
	want := []standing{
		{first, "2026-01-02", "blocked", 2, "DEL-01-02", true},
		{second, "", "blocked", 1, "DEL-01-01", true},
		{third, "", "unknown", 0, "", false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sum := r.Elsewhere
	for _, d := range r.Deliverables {
		sum.Errors += d.Errors
		sum.Warnings += d.Warnings
	}
	if sum.Errors != r.Summary.Errors || sum.Warnings != r.Summary.Warnings {
		t.Errorf("the counts add up to %+v of %+v", sum, r.Summary)
	}
}

// Of the real roots every finding is counted once, and the commands are those that the
// validation prints.
func TestRealRoots(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("BELAY_CORPUS")
	if dir == "" {
		t.Skip("skipped: BELAY_CORPUS names no folder with real execution roots")
	}
	for _, name := range []string{"psb-6a", "chirality-app", "proposal-6b"} {
		r := at(t, filepath.Join(dir, name))
		n := r.Elsewhere.Errors + r.Elsewhere.Warnings
		for _, d := range r.Deliverables {
			n += d.Errors + d.Warnings
		}
		if all := r.Summary.Errors + r.Summary.Warnings; n != all || all == 0 {
			t.Errorf("%s: %d of %d findings are counted", name, n, all)
		}
		for _, c := range r.DoFirst {
			if c.Findings == 0 || !strings.HasPrefix(c.Line, "belay ") || !strings.Contains(c.Line, name) {
				t.Errorf("%s: do first %+v", name, c)
			}
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r, err := scan.Scan(t.Context(), t.TempDir(), scan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := load.Graph(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Of(ctx, t.TempDir(), r, g, 0, Options{}); err == nil {
		t.Error("a cancelled report was made")
	}
}
