package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/workspace/graph"
	"belay/internal/workspace/index"
)

const registerHead = "DependencyID,DependencyClass,Direction,DependencyType,TargetType,TargetDeliverableID,Status\n"

// The graph is that of the files as they are at the question, and a register that
// cannot be read is told.
func TestProjectGraph(t *testing.T) {
	t.Parallel()
	_, base, root := projectServer(t, index.Options{MaxWatches: 1000, Poll: 10 * time.Millisecond})
	folder := func(id string) string {
		dir := filepath.Join(root, "PKG-01_Graph", "1_Working", id+"_Of_It")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	register := func(id, row string) {
		if err := os.WriteFile(filepath.Join(folder(id), "Dependencies.csv"), []byte(registerHead+row+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	register("DEL-01-11", "DEP-01-11-001,EXECUTION,UPSTREAM,PREREQUISITE,DELIVERABLE,DEL-01-12,ACTIVE")
	register("DEL-01-12", "DEP-01-12-001,EXECUTION,UPSTREAM,PREREQUISITE,DELIVERABLE,DEL-09-09,ACTIVE")
	address := base + "/api/project/graph?projectRoot=" + url.QueryEscape(root)
	read := func(query string, into any) {
		t.Helper()
		res, body := fetch(t, address+query)
		if err := json.Unmarshal([]byte(body), into); err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %s, %v", query, res.Status, body, err)
		}
	}
	type answer struct {
		*graph.Report
		Impact   *graph.Impact
		Findings []any
	}
	var all answer
	read("", &all)
	if all.ProjectRoot != root || all.Metadata.Execution != 1 || all.Metadata.Dependencies != 2 || len(all.Analysis.Cycles) != 0 ||
		len(all.Analysis.Unresolved) != 1 || len(all.Findings) != 0 {
		t.Errorf("the graph is %+v with %+v", all.Report, all.Findings)
	}

	register("DEL-01-12", "DEP-01-12-001,EXECUTION,UPSTREAM,PREREQUISITE,DELIVERABLE,DEL-01-11,ACTIVE")
	if err := os.Mkdir(filepath.Join(folder("DEL-01-13"), "Dependencies.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	all = answer{}
	read("", &all)
	if len(all.Analysis.Cycles) != 1 || !all.Analysis.Cycles[0].Blocking || len(all.Findings) != 1 {
		t.Errorf("after a change: %+v with %+v", all.Analysis, all.Findings)
	}
	register("DEL-01-14", "DEP-01-14-001,EXECUTION,UPSTREAM,INTERFACE,DELIVERABLE,DEL-01-15,ACTIVE")
	register("DEL-01-15", "DEP-01-15-001,EXECUTION,UPSTREAM,PREREQUISITE,DELIVERABLE,DEL-01-14,ACTIVE")
	for query, components := range map[string]int{"": 2, "&blocking=false": 2, "&blocking=true": 1, "&blocking=true&impact=DEL-01-14": 0, "&blocking=true&deliverable=DEL-01-11": 1} {
		all = answer{}
		read(query, &all)
		a := all.Analysis
		if len(a.Components) != components || len(a.Cycles) != components || components > 0 && !a.Components[0].Blocking ||
			components > 1 && (a.Components[1].Blocking || a.Cycles[1].Component != 1) {
			t.Errorf("%s: %+v %+v", query, a.Components, a.Cycles)
		}
	}
	if res, body := fetch(t, address+"&blocking=yes"); res.StatusCode != http.StatusBadRequest || !strings.Contains(body, "INVALID_REQUEST") {
		t.Errorf("blocking=yes: %s %s", res.Status, body)
	}
	var near answer
	read("&deliverable=DEL-01-12", &near)
	if len(near.Nodes) != 2 {
		t.Errorf("around one: %+v", near.Nodes)
	}
	var behind answer
	read("&impact=DEL-01-12", &behind)
	if i := behind.Impact; i == nil || len(i.Reaches) != 1 || i.Reaches[0].Deliverable != "DEL-01-11" || len(behind.Nodes) != 2 {
		t.Errorf("impact %+v", behind)
	}

	for _, query := range []string{"&deliverable=DEL-77-77", "&impact=%1b%5b31m"} {
		res, body := fetch(t, address+query)
		if res.StatusCode != http.StatusNotFound || !strings.Contains(body, "DELIVERABLE_NOT_FOUND") || strings.Contains(body, "\x1b") {
			t.Errorf("%s: %s %s", query, res.Status, body)
		}
	}
}
