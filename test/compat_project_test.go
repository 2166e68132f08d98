package test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The calls of a client of the original system about projects, with its own
// expectations (compatible contract, sections 1.9 to 1.16 and 8): the members that it
// knows are there, with the values and in the order that it knows. What belay adds it
// does not see.

// original is a project as the original left it.
func original(t *testing.T) *place {
	t.Helper()
	p := newPlace(t, "BELAY_WORKSPACE_OPEN_TRANSITIONS=true")
	must(t, os.MkdirAll(filepath.Join(p.project, "_Decomposition"), 0o755))
	for folder, text := range map[string]string{listFolder: listStatus, tableFolder: tableStatus} {
		must(t, os.MkdirAll(filepath.Join(p.project, filepath.FromSlash(folder)), 0o755))
		p.file(folder+"/_STATUS.md", text)
	}
	p.file(listFolder+"/Datasheet.md", "# Datasheet\n")
	p.file("_Decomposition/bridge.md", "# Bridge\n\nKnowledge types: none yet.\n")
	return p
}

// answers checks the compatible part of an answer. In want, {root} is the project and
// {time} any time.
func (s *server) answers(want, method, path, body string) {
	s.t.Helper()
	want = strings.ReplaceAll(want, "{root}", s.project)
	status, answer := s.do(method, path, body)
	got := timeForm.ReplaceAllString(known(s.t, []byte(answer), []byte(want)), `"{time}"`)
	if status != 200 || got != want {
		s.t.Errorf("%s %s\n got %d %s\nwant %s", method, path, status, got, want)
	}
}

var timeForm = regexp.MustCompile(`"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"`)

// known is an answer without the members of objects that want does not have.
func known(t *testing.T, answer, want []byte) string {
	t.Helper()
	answer, want = bytes.TrimSpace(answer), bytes.TrimSpace(want)
	a, _ := children(t, answer)
	w, names := children(t, want)
	if len(answer) == 0 || len(want) == 0 || answer[0] != want[0] || w == nil {
		return string(answer)
	}
	if want[0] == '[' {
		if len(a) != len(w) {
			return string(answer)
		}
		parts := make([]string, len(a))
		for i := range a {
			parts[i] = known(t, a[i].value, w[i].value)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	var parts []string
	for _, m := range a {
		if i := slices.Index(names, m.name); i >= 0 {
			parts = append(parts, jsonOf(m.name)+":"+known(t, m.value, w[i].value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

type member struct {
	name  string
	value json.RawMessage
}

// children are the members of an object or the items of an array, in order; nil where
// the text is neither.
func children(t *testing.T, text []byte) (all []member, names []string) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(text))
	open, err := in.Token()
	must(t, err)
	if open != json.Delim('{') && open != json.Delim('[') {
		return nil, nil
	}
	all = []member{}
	for in.More() {
		var m member
		if open == json.Delim('{') {
			name, err := in.Token()
			must(t, err)
			m.name, _ = name.(string)
		}
		must(t, in.Decode(&m.value))
		all, names = append(all, m), append(names, m.name)
	}
	return all, names
}

// Covers: workspace 15
func TestOriginalClientLooks(t *testing.T) {
	t.Parallel()
	s := original(t).serve()
	root := "?projectRoot=" + url.QueryEscape(s.project)
	s.answers(`{"ok":true,"projectRoot":"{root}"}`, "POST", "/api/working-root/validate", jsonOf(map[string]string{"projectRoot": s.project + "/./"}))
	s.answers(`{"projectRoot":"{root}","scannedAt":"{time}","deliverables":[`+
		`{"id":"DEL-01-01","name":"List","pkg":"PKG-01_A","status":"open","path":"{root}/PKG-01_A/1_Working/DEL-01-01_List"},`+
		`{"id":"DEL-01-02","name":"Table","pkg":"PKG-01_A","status":"initialized","path":"{root}/PKG-01_A/1_Working/DEL-01-02_Table"}],`+
		`"knowledgeDecomposition":{"enabled":true,"markerFile":"{root}/_Decomposition/bridge.md"},"knowledgeTypes":[`+
		`{"id":"datasheet","label":"Datasheet","matchingDeliverableKeys":["PKG-01_A::DEL-01-01"]},`+
		`{"id":"status","label":"Status","matchingDeliverableKeys":["PKG-01_A::DEL-01-01","PKG-01_A::DEL-01-02"]}],"truncated":false}`,
		"GET", "/api/project/deliverables"+root, "")
	s.answers(`{"projectRoot":"{root}","scannedAt":"{time}","deliverables":[`+
		`{"id":"DEL-01-01","label":"List","path":"{root}/PKG-01_A/1_Working/DEL-01-01_List"},`+
		`{"id":"DEL-01-02","label":"Table","path":"{root}/PKG-01_A/1_Working/DEL-01-02_Table"}],`+
		`"knowledgeTypes":[],"hasKnowledgeDecomposition":true,"truncated":false}`, "GET", "/api/working-root/scope"+root, "")
	s.answers(`{"projectRoot":"{root}","depth":1,"scannedAt":"{time}","root":{"name":"`+filepath.Base(s.project)+`","path":"{root}","kind":"directory","children":[`+
		`{"name":"_Decomposition","path":"{root}/_Decomposition","kind":"directory"},{"name":"PKG-01_A","path":"{root}/PKG-01_A","kind":"directory"}]}}`,
		"GET", "/api/working-root/tree"+root+"&depth=0.4", "")
	for depth, want := range map[string]string{"": `"depth":3,`, "x": `"depth":3,`, "99": `"depth":6,`, "-4": `"depth":1,`, "2.9": `"depth":2,`} {
		if status, answer := s.do("GET", "/api/working-root/tree"+root+"&depth="+depth, ""); status != 200 || !strings.Contains(answer, want) {
			t.Errorf("depth %q: %d %s", depth, status, clip(answer))
		}
	}
	gone := url.QueryEscape(s.project + "/gone")
	for _, path := range []string{"/api/project/deliverables", "/api/working-root/tree", "/api/working-root/scope"} {
		s.fails(400, "INVALID_PROJECT_ROOT", "GET", path, "")
		s.fails(400, "INVALID_PROJECT_ROOT", "GET", path+"?projectRoot=%20", "")
		s.fails(400, "INVALID_PROJECT_ROOT", "GET", path+"?projectRoot=relative", "")
		s.fails(404, "WORKING_ROOT_INACCESSIBLE", "GET", path+"?projectRoot="+gone, "")
	}
	s.fails(400, "INVALID_PROJECT_ROOT", "POST", "/api/working-root/validate", `{"projectRoot":"relative"}`)
	s.fails(404, "WORKING_ROOT_INACCESSIBLE", "POST", "/api/working-root/validate", jsonOf(map[string]string{"projectRoot": s.project + "/gone"}))
}

// Covers: workspace 3.1, 3.3
func TestOriginalClientReadsStatus(t *testing.T) {
	t.Parallel()
	p := original(t)
	s := p.serve()
	at := func(folder string) string {
		return "/api/working-root/deliverable/status?projectRoot=" + url.QueryEscape(p.project) + "&deliverablePath=" + url.QueryEscape(folder)
	}
	list, table := filepath.Join(p.project, filepath.FromSlash(listFolder)), filepath.Join(p.project, filepath.FromSlash(tableFolder))
	s.answers(`{"projectRoot":"{root}","deliverablePath":"{root}/`+listFolder+`","statusFilePath":"{root}/`+listFolder+`/_STATUS.md",`+
		`"status":{"title":"Status: DEL-01-01 List","currentState":"OPEN","lastUpdated":"2026-01-02","history":[`+
		`{"date":"2026-01-02","state":"OPEN","actor":"PREPARATION","source":"list","raw":"- 2026-01-02 — State set to OPEN (PREPARATION)"}],"extraFields":[]}}`,
		"GET", at(list), "")
	s.answers(`{"projectRoot":"{root}","deliverablePath":"{root}/`+tableFolder+`","statusFilePath":"{root}/`+tableFolder+`/_STATUS.md",`+
		`"status":{"title":"Deliverable Status","currentState":"INITIALIZED","lastUpdated":"2026-01-02","history":[`+
		`{"date":"2026-01-02","state":"INITIALIZED","actor":"4_DOCUMENTS","source":"table","fromState":"OPEN","notes":"Pass 1","raw":"| 2026-01-02 | OPEN | INITIALIZED | 4_DOCUMENTS | Pass 1 |"},`+
		`{"date":"2026-01-01","state":"OPEN","actor":"PREPARATION","source":"table","raw":"| 2026-01-01 | -- | OPEN | PREPARATION | |"}],"extraFields":[]}}`,
		"GET", at(table), "")
	move := func(folder, to, actor string, more ...string) string { return p.move(folder, to, actor, more...) }
	s.answers(`{"projectRoot":"{root}","deliverablePath":"{root}/`+listFolder+`","statusFilePath":"{root}/`+listFolder+`/_STATUS.md",`+
		`"status":{"title":"Status: DEL-01-01 List","currentState":"INITIALIZED","lastUpdated":"2026-01-03","history":[`+
		`{"date":"2026-01-02","state":"OPEN","actor":"PREPARATION","source":"list","raw":"- 2026-01-02 — State set to OPEN (PREPARATION)"},`+
		`{"date":"2026-01-03","state":"INITIALIZED","actor":"4 documents","source":"list","raw":"- 2026-01-03 — State set to INITIALIZED (4 documents)"}],`+
		`"extraFields":[{"key":"Evidence SHA","value":"abc"}]},"transition":{"from":"OPEN","to":"INITIALIZED","actor":"4 documents"}}`,
		"POST", transitionPath, strings.Replace(move(listFolder, "initialized", "4 documents", "date", "2026-01-03"), "{", `{"metadata":{"evidence_sha":"abc","blank":" "},`, 1))

	// What it may not do, in the order in which the original looked.
	s.fails(400, "INVALID_REQUEST", "POST", transitionPath, jsonOf(map[string]string{"projectRoot": p.project, "deliverablePath": list, "actor": "HUMAN"}))
	s.fails(400, "INVALID_REQUEST", "POST", transitionPath, strings.Replace(move(listFolder, "IN_PROGRESS", "HUMAN"), "{", `{"metadata":{"a":1},`, 1))
	s.fails(400, "INVALID_PROJECT_ROOT", "GET", at("relative"), "")
	s.fails(400, "DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT", "GET", at(p.project+"/../x"), "")
	s.fails(404, "DELIVERABLE_NOT_FOUND", "GET", at(list+"x"), "")
	outside := t.TempDir()
	must(t, os.Symlink(outside, filepath.Join(p.project, "DEL-09-09_Away")))
	s.fails(400, "DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT", "GET", at(filepath.Join(p.project, "DEL-09-09_Away")), "")
	s.fails(404, "STATUS_FILE_NOT_FOUND", "GET", at(filepath.Dir(list)), "")
	for _, c := range []struct{ wantType, body string }{
		{"INVALID_STATE", move(listFolder, "DONE", "HUMAN")},
		{"BACKWARD_TRANSITION", move(listFolder, "OPEN", "HUMAN")},
		{"TRANSITION_NOT_ALLOWED", move(listFolder, "INITIALIZED", "HUMAN")},
		{"TRANSITION_NOT_ALLOWED", move(listFolder, "ISSUED", "HUMAN", "approvalSha", "1234567")},
		{"UNAUTHORIZED_ACTOR", move(listFolder, "IN_PROGRESS", "PREPARATION")},
		{"INVALID_DATE", move(listFolder, "IN_PROGRESS", "HUMAN", "date", "tomorrow")},
	} {
		if details := s.fails(400, c.wantType, "POST", transitionPath, c.body); c.wantType != "INVALID_DATE" && (details["from"] != "INITIALIZED" || details["to"] == nil) {
			t.Errorf("%s: details %v", c.wantType, details)
		}
	}
	if status, answer := s.do("POST", transitionPath, move(listFolder, "IN_PROGRESS", "operator")); status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	s.fails(400, "APPROVAL_SHA_REQUIRED", "POST", transitionPath, move(listFolder, "CHECKING", "HUMAN"))
	s.fails(400, "INVALID_APPROVAL_SHA", "POST", transitionPath, move(listFolder, "CHECKING", "HUMAN", "approvalSha", "123456"))
	if text := p.content(listFolder + "/_STATUS.md"); !strings.Contains(text, "**Current State:** IN_PROGRESS\r\n") || !strings.HasPrefix(text, "# Status: DEL-01-01 List\r\n\r\n") {
		t.Errorf("%q", text)
	}
}

// registerColumns are the 29 columns of a register, in the specification's order
// (workspace 6.2).
const registerColumns = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
	"TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness," +
	"RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes"

// registerRow is a row as a client sends it, with some values changed.
func registerRow(id string, more ...any) map[string]any {
	row := map[string]any{
		"RegisterSchemaVersion": "v3.1", "DependencyID": id, "FromPackageID": "PKG-01", "FromDeliverableID": "DEL-01-01", "FromDeliverableName": "List",
		"DependencyClass": "ANCHOR", "AnchorType": "IMPLEMENTS_NODE", "Direction": "UPSTREAM", "DependencyType": "OTHER", "TargetType": "WBS_NODE",
		"TargetRefID": "SOW-1", "Statement": "says \"so\", twice", "EvidenceFile": "Datasheet.md", "SourceRef": "location TBD", "Origin": "DECLARED",
		"FirstSeen": "2026-01-01", "LastSeen": "2026-01-02", "Status": "ACTIVE", "Notes": nil, "Zone": "z", "Area": "a",
	}
	for i := 0; i+1 < len(more); i += 2 {
		row[more[i].(string)] = more[i+1]
	}
	return row
}

// Covers: workspace 6.2
func TestOriginalClientRegisters(t *testing.T) {
	t.Parallel()
	p := original(t)
	s := p.serve()
	folder := filepath.Join(p.project, filepath.FromSlash(listFolder))
	const path = "/api/working-root/deliverable/dependencies"
	at := path + "?projectRoot=" + url.QueryEscape(p.project) + "&deliverablePath=" + url.QueryEscape(folder)
	s.fails(404, "DEPENDENCY_REGISTER_NOT_FOUND", "GET", at, "")
	put := func(rows ...any) string {
		return jsonOf(map[string]any{"projectRoot": p.project, "deliverablePath": folder, "rows": rows})
	}
	// The columns come in their order, those of others sorted behind them, and a cell
	// is quoted where it must be.
	const text = registerColumns + ",Area,Zone\n" +
		"v3.1,DEP-01-01-001,PKG-01,DEL-01-01,List,ANCHOR,IMPLEMENTS_NODE,UPSTREAM,OTHER,WBS_NODE,,,SOW-1,,,\"says \"\"so\"\", twice\",Datasheet.md,location TBD,,,,,,,DECLARED,2026-01-01,2026-01-02,ACTIVE,,a,z\n"
	status, answer := s.do("PUT", path, put(registerRow("DEP-01-01-001")))
	if status != 200 || p.content(listFolder+"/Dependencies.csv") != text {
		t.Fatalf("%d %s\n%s", status, answer, p.content(listFolder+"/Dependencies.csv"))
	}
	headers := `["` + strings.ReplaceAll(registerColumns+",Area,Zone", ",", `","`) + `"]`
	want := `{"projectRoot":"{root}","deliverablePath":"{root}/` + listFolder + `","dependenciesFilePath":"{root}/` + listFolder + `/Dependencies.csv","headers":` + headers +
		`,"rows":[{"RegisterSchemaVersion":"v3.1","DependencyID":"DEP-01-01-001","Statement":"says \"so\", twice","Notes":"","Area":"a","Zone":"z"}],"warnings":[]}`
	s.answers(want, "GET", at, "")
	s.answers(want, "PUT", path, put(registerRow("DEP-01-01-001", "Notes", "")))

	// What the original refused, it is refused with its codes, and nothing is written.
	for _, c := range []struct {
		wantType string
		row      any
	}{
		{"INVALID_REQUEST", "no object"},
		{"INVALID_REQUEST", registerRow("DEP-01-01-001", "Notes", 1)},
		{"INVALID_SCHEMA", registerRow("DEP-01-01-001", "RegisterSchemaVersion", "v3.0")},
		{"INVALID_IDENTITY", registerRow("DEP-1")},
		{"INVALID_IDENTITY", registerRow("DEP-01-01-001", "FromDeliverableID", "DEL-01-02")},
		{"INVALID_ENUM", registerRow("DEP-01-01-001", "Direction", "SIDEWAYS")},
		{"INVALID_DATE", registerRow("DEP-01-01-001", "FirstSeen", "yesterday")},
		{"INVALID_CLASSIFICATION", registerRow("DEP-01-01-001", "AnchorType", "NOT_APPLICABLE")},
		{"INVALID_TARGET", registerRow("DEP-01-01-001", "TargetType", "DELIVERABLE")},
		{"INVALID_PROVENANCE", registerRow("DEP-01-01-001", "EvidenceFile", "")},
	} {
		s.fails(400, c.wantType, "PUT", path, put(c.row))
	}
	s.fails(400, "DUPLICATE_DEPENDENCY_ID", "PUT", path, put(registerRow("DEP-01-01-001"), registerRow("DEP-01-01-001")))
	s.fails(400, "INVALID_REQUEST", "PUT", path, jsonOf(map[string]any{"projectRoot": p.project, "deliverablePath": folder, "rows": "none"}))
	if got := p.content(listFolder + "/Dependencies.csv"); got != text {
		t.Errorf("a refused register was written:\n%s", got)
	}

	// A dependency is satisfied step by step, from what the file says.
	for _, state := range []string{"TBD", "PENDING", "IN_PROGRESS"} {
		if status, answer := s.do("PUT", path, put(registerRow("DEP-01-01-001", "SatisfactionStatus", state))); status != 200 {
			t.Errorf("%s: %d %s", state, status, answer)
		}
	}
	s.fails(400, "INVALID_SATISFACTION_TRANSITION", "PUT", path, put(registerRow("DEP-01-01-001", "SatisfactionStatus", "PENDING")))

	// Words of older registers are read as what they mean, and the file stays.
	old := "DependencyID,FromPackageID,Direction,DependencyType,Own\r\nDEP-01-02-001,PKG-01,inbound,Coordination,\"x\ny\"\r\n\r\n"
	p.file(tableFolder+"/Dependencies.csv", old)
	table := filepath.Join(p.project, filepath.FromSlash(tableFolder))
	s.answers(`{"headers":["RegisterSchemaVersion","DependencyID","FromPackageID","Direction","DependencyType","Own"],"rows":[{"RegisterSchemaVersion":"v3.1",`+
		`"DependencyID":"DEP-01-02-001","FromPackageID":"PKG-01","Direction":"UPSTREAM","DependencyType":"OTHER","Own":"x\ny"}],`+
		`"warnings":["MISSING_SCHEMA_VERSION_COLUMN","ROW_1:SCHEMA_VERSION_INFERRED","ROW_1:DIRECTION_NORMALIZED","ROW_1:DEPENDENCY_TYPE_NORMALIZED"]}`,
		"GET", path+"?projectRoot="+url.QueryEscape(p.project)+"&deliverablePath="+url.QueryEscape(table), "")
	if p.content(tableFolder+"/Dependencies.csv") != old {
		t.Error("to read a register changed it")
	}
}
