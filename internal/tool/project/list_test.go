package project

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"belay/internal/tool"
)

// result is what a model reads of a call with this input.
func (x *world) result(name, input string) string {
	x.t.Helper()
	call, err := x.set.Prepare(x.t.Context(), x.w, name, json.RawMessage(input))
	var r tool.Result
	if err == nil {
		r, err = call.Run(x.t.Context())
	}
	if refusal, ok := tool.AsRefusal(err); ok {
		return refusal.Error()
	}
	must(x.t, err)
	return r.Text
}

func TestList(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "none")
	if got := x.result("project.list", `{}`); !strings.Contains(got, "no execution root") {
		t.Errorf("an empty project: %s", got)
	}
	const plan = "PKG-01_Site/1_Working/DEL-01-01_Drainage_Plan"
	x.put(plan+"/_STATUS.md", "**Current State:** IN_PROGRESS\n")
	for _, name := range []string{"_CONTEXT.md", "_DEPENDENCIES.md", "_REFERENCES.md", "Datasheet.md", "Specification.md", "Guidance.md", "Procedure.md"} {
		x.put(plan+"/"+name, "")
	}
	x.put("PKG-002_More/1_Working/DEL-02-01_Survey/_STATUS.md", "**Current State:** RETIRED\n")
	x.put("PKG-01_Site/3_Issued/DEL-01-01_Drainage_Plan/plan.pdf", "")
	const survey = "DEL-02-01  unknown (RETIRED)  PKG-002_More/1_Working/DEL-02-01_Survey  " +
		"(no _CONTEXT.md, _DEPENDENCIES.md, _REFERENCES.md, Datasheet.md, Specification.md, Guidance.md, Procedure.md)\n"
	for input, want := range map[string]string{
		`{}`:                             survey + "DEL-01-01  in_progress  " + plan + "\n",
		`{"state":"in_progress"}`:        "DEL-01-01  in_progress  " + plan + "\n",
		`{"state":"issued"}`:             "(none of the 2 deliverables is like that)\n",
		`{"package":"PKG-02_More"}`:      survey,
		`{"query":"DRAINAGE"}`:           "DEL-01-01  in_progress  " + plan + "\n",
		`{"query":"01-0","copies":true}`: "DEL-01-01  in_progress  " + plan + "\nDEL-01-01  unknown  issued  PKG-01_Site/3_Issued/DEL-01-01_Drainage_Plan\n",
		`{"package":"site"}`:             "DEL-01-01  in_progress  " + plan + "\n",
		`{"package":"quarry"}`:           "there is no package quarry in the project (list them with project.list)",
	} {
		if got := x.result("project.list", input); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", input, got, want)
		}
	}
	if got := x.result("project.list", `{"state":"done"}`); !strings.Contains(got, "in_progress") {
		t.Errorf("a wrong state: %s", got)
	}
	// It sees what was written just before, and tells no more than there is room.
	for n := range 30 {
		x.put(fmt.Sprintf("PKG-03_Lots/1_Working/DEL-03-%02d_x\ny/_STATUS.md", n+10), "**Current State:** OPEN")
	}
	x.w.Limits.Matches = 5
	got := x.result("project.list", `{"state":"open"}`)
	if !strings.Contains(got, "[the first 5 of 30; narrow it with state, package or query]") || strings.Contains(got, "x\ny") || !strings.Contains(got, "[the layout has 30 findings") {
		t.Errorf("many: %s", got)
	}
	x.w.Limits.Matches, x.w.Limits.OutputBytes = 500, 1000
	if got := x.result("project.list", `{}`); len(got) > 1200 || !strings.Contains(got, "narrow it") {
		t.Errorf("little room: %d bytes, %s", len(got), got)
	}
}
