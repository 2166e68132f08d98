package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/workspace/graph"
	"belay/internal/workspace/scan"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project is a root with deliverables of these registers, "" for none.
func project(t *testing.T, registers ...string) (string, []*scan.Folder) {
	t.Helper()
	root := t.TempDir()
	for i, text := range registers {
		dir := filepath.Join(root, "PKG-01_A", "1_Working", fmt.Sprintf("DEL-01-%02d_Name", i+1))
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, "_STATUS.md"), []byte("**Current State:** OPEN\n"), 0o600))
		if text != "" {
			must(t, os.WriteFile(filepath.Join(dir, "Dependencies.csv"), []byte(text), 0o600))
		}
	}
	found, err := scan.Scan(t.Context(), root, scan.Options{})
	must(t, err)
	return root, found.Deliverables
}

const header = "DependencyID,DependencyClass,Direction,DependencyType,TargetType,TargetDeliverableID,Status\n"

// Covers: workspace 6.7
func TestGraph(t *testing.T) {
	t.Parallel()
	root, deliverables := project(t, "", header+
		"DEP-01-02-001,EXECUTION,inbound,PREREQUISITE,DELIVERABLE, DEL-01-01 ,active\n"+
		"DEP-01-02-002,EXECUTION,UPSTREAM,PREREQUISITE,DELIVERABLE,DEL-01-03,RETIRED\n",
		"x")
	must(t, os.Remove(filepath.Join(root, "PKG-01_A", "1_Working", "DEL-01-03_Name", "Dependencies.csv")))
	must(t, os.Symlink("/etc/passwd", filepath.Join(root, "PKG-01_A", "1_Working", "DEL-01-03_Name", "Dependencies.csv")))
	g, unread, err := Graph(t.Context(), root, deliverables)
	must(t, err)
	edges := g.Edges()
	if len(edges) != 1 || edges[0].From != "DEL-01-01" || edges[0].To != "DEL-01-02" || !edges[0].Blocking || edges[0].Direction != "UPSTREAM" || edges[0].Row != 2 {
		t.Errorf("the edges are %+v", edges)
	}
	if n, _ := g.Node("DEL-01-01"); n != (graph.Node{ID: "DEL-01-01", Name: "Name", Package: n.Package, State: "OPEN", Path: "PKG-01_A/1_Working/DEL-01-01_Name"}) {
		t.Errorf("the node is %+v", n)
	}
	if len(unread) != 1 || unread[0].Code != "REGISTER_UNREADABLE" || unread[0].Path != "PKG-01_A/1_Working/DEL-01-03_Name/Dependencies.csv" {
		t.Errorf("unread are %+v", unread)
	}
}

// TestGraphIsBounded: registers of more rows than there is room for are told, not
// read into memory.
func TestGraphIsBounded(t *testing.T) {
	t.Parallel()
	const each = 90_000
	text := "DependencyID,Status\n" + strings.Repeat("a,ACTIVE\n", each)
	registers := make([]string, MaxRows/each+2)
	for i := range registers {
		registers[i] = text
	}
	root, deliverables := project(t, registers...)
	g, left, err := Graph(t.Context(), root, deliverables)
	must(t, err)
	if n := len(g.Edges()); n > MaxRows || n != each*(MaxRows/each) || len(left) != 2 || left[0].Code != "GRAPH_TOO_LARGE" {
		t.Errorf("%d edges, %+v", n, left)
	}
}
