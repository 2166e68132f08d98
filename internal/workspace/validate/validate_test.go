package validate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

// sound is a project in which nothing is to be found.
func sound() map[string]string {
	files := map[string]string{
		"INIT.md":                        "# INIT\n\n**Project Name:** Bridge\n**Decomposition Reference:** _Decomposition/plan.md\n",
		"_Coordination/_COORDINATION.md": "# Coordination Record\n\n**Representation:** Schedule-first\n",
		"_Decomposition/plan.md": "# Bridge — Decomposition\n\n### PKG-01 — Site Works\n\n" +
			"| DeliverableID | Name | Discipline | Type | ResponsibleParty |\n|---|---|---|---|---|\n| DEL-01-01 | Drainage Plan | Civil | DOCUMENT | Lead |\n",
		"_Estimates/_LATEST.md":                       "Latest: EST_2026-01-02_1200_2\nUpdated: 2026-01-02\n",
		"_Estimates/EST_2026-01-02_1200/SHA256SUMS":   "",
		"_Estimates/EST_2026-01-02_1200_2/SHA256SUMS": "",
		del + "_STATUS.md":                            "# Status: DEL-01-01 Drainage Plan\n\n**Current State:** OPEN\n**Last Updated:** 2026-01-02\n\n## History\n- 2026-01-02 — State set to OPEN (PREPARATION)\n",
		del + "_CONTEXT.md": "# Context: DEL-01-01\n\n**Name:** Drainage Plan\n**Package:** PKG-01 Site Works\n**Discipline:** Civil\n**Type:** DOCUMENT\n**Responsible:** Lead\n\n" +
			"## Description\nx\n\n## Acceptance Criteria\nx\n\n## Anticipated Artifacts\n- x\n\n## Scope Traceability\n- Scope items: SOW-001\n\n" +
			"## Decomposition Reference\n- **Decomposition file:** _Decomposition/plan.md\n- **Deliverable ID:** DEL-01-01\n",
		del + "_REFERENCES.md":   "# References: DEL-01-01 Drainage Plan\n\n## Applicable References\n- Plan — _Decomposition/plan.md — defines it\n\n## Notes\n- none\n",
		del + "_DEPENDENCIES.md": "# Dependencies: DEL-01-01 Drainage Plan\n\n## Dependency Tracking Mode\n- **Mode:** NOT_TRACKED\n- **Register:** Dependencies.csv (schema v3.1)\n\n## Declared Upstream\nnone\n\n## Declared Downstream\nnone\n",
		del + "MEMORY.md":        "# Memory — DEL-01-01\n\n## Key Decisions & Human Rulings\n\n## Domain Context\n\n## Open Items\n\n## Proposal History\n\n## Interface & Dependency Notes\n",
	}
	for _, name := range layout.PackageFolders {
		files["PKG-01_Site Works/"+name+"/"] = ""
	}
	for _, name := range layout.ToolRoots {
		files[name+"/"] = ""
	}
	files[del+"_SEMANTIC.md"] = "# Semantic Lens: DEL-01-01 Drainage Plan\n\n**Status:** PLACEHOLDER\n"
	return files
}

const (
	pkg = "PKG-01_Site Works"
	del = pkg + "/1_Working/DEL-01-01_Drainage Plan/"
)

// write writes files; one with a slash at its end is a folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func validated(t testing.TB, root string, o Options) *Report {
	t.Helper()
	r, err := scan.Scan(t.Context(), root, scan.Options{Visited: true})
	if err != nil {
		t.Fatal(err)
	}
	report, err := Project(t.Context(), root, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// told are findings as lines that tests compare: code, place, message.
func told(all []finding.Finding) []string {
	lines := []string{}
	for _, f := range all {
		path := strings.Replace(f.Path+"/", del, "DEL/", 1)
		lines = append(lines, fmt.Sprintf("%s %s:%d %s", f.Code, strings.TrimSuffix(path, "/"), f.Line, f.Message))
	}
	return lines
}

// Each case changes one thing about the sound project and says what is to be found
// then. A text that begins with a name of a file replaces parts of it: NAME, what
// is there and what shall stand there, divided by " => ".
// Covers: workspace 1.1, 2.1, 4.1, 4.2, 7.1, 7.2, 8.1, 8.2, 10.2, 11.2, 12.1, 12.2, 12.3, 13
func TestFindings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// file is changed: from becomes to in it, a blank from stands for all of it,
		// and a blank file for none. Gone are removed, made are added.
		file, from, to string
		gone           string
		made           string
		want           []string
	}{
		"nothing": {},

		"no INIT.md":             {gone: "INIT.md", want: []string{"ROOT_NO_INIT :0 there is no INIT.md"}},
		"INIT.md says nothing":   {file: "INIT.md", to: "# INIT\n", want: []string{"INIT_NO_PARAMETERS INIT.md:0 there is no labelled line"}},
		"INIT.md and no pointer": {file: "INIT.md", from: "Decomposition Reference", to: "Plan", want: []string{"INIT_NO_DECOMPOSITION INIT.md:0 there is no field **Decomposition Reference:**"}},
		"INIT.md on another machine": {file: "INIT.md", from: "_Decomposition/plan.md", to: "`/home/x/_Decomposition/`",
			want: []string{"INIT_DECOMPOSITION_NOT_FOUND INIT.md:4 there is no /home/x/_Decomposition/, seen from the project"}},
		"INIT.md is a folder":    {gone: "INIT.md", made: "INIT.md/x", want: []string{"FILE_IS_NO_FILE INIT.md:0 is no regular file"}},
		"no coordination record": {gone: "_Coordination", want: []string{"COORDINATION_MISSING :0 there is no _Coordination/_COORDINATION.md"}},
		"no representation":      {file: "_Coordination/_COORDINATION.md", from: "Representation", to: "Way", want: []string{"COORDINATION_NO_REPRESENTATION _Coordination/_COORDINATION.md:0 there is no field **Representation:**"}},
		"a representation of their own": {file: "_Coordination/_COORDINATION.md", from: "Schedule-first", to: "As it comes",
			want: []string{`COORDINATION_UNKNOWN _Coordination/_COORDINATION.md:3 the representation is "As it comes"`}},
		"a representation in capitals": {file: "_Coordination/_COORDINATION.md", from: "Schedule-first", to: "`DEPENDENCY_TRACKED`"},

		"no decomposition": {gone: "_Decomposition", want: []string{
			"INIT_DECOMPOSITION_NOT_FOUND INIT.md:4 there is no _Decomposition/plan.md, seen from the project",
			"CONTEXT_DECOMPOSITION_NOT_FOUND DEL/_CONTEXT.md:22 there is no _Decomposition/plan.md",
			"ROOT_NO_DECOMPOSITION :0 there is no folder _Decomposition"}},
		"a decomposition that is none": {file: "_Decomposition/plan.md", to: "# Notes\n",
			want: []string{"ROOT_NO_DECOMPOSITION _Decomposition:0 no document defines packages and deliverables"}},
		"a deliverable more in the decomposition": {file: "_Decomposition/plan.md", from: "| DEL-01-01", to: "| DEL-01-02 | Signs | Civil | DOCUMENT | Lead |\n| DEL-01-01",
			want: []string{"DELIVERABLE_NO_FOLDER _Decomposition/plan.md:7 DEL-01-02 has no folder"}},
		"an undefined package and deliverable": {made: "PKG-02_More/1_Working/DEL-02-01_x/", want: []string{
			"PACKAGE_FOLDERS_MISSING PKG-02_More:0 there is no folder 0_References, 0_References/_Archive, 1_Working/_Archive, 2_Checking, 2_Checking/From, 2_Checking/To, 3_Issued, 3_Issued/_Archive",
			"PACKAGE_NOT_DEFINED PKG-02_More:0 no decomposition defines PKG-02",
			"DELIVERABLE_FILE_MISSING PKG-02_More/1_Working/DEL-02-01_x:0 there is no _STATUS.md, _CONTEXT.md, _DEPENDENCIES.md, _REFERENCES.md",
			"MEMORY_MISSING PKG-02_More/1_Working/DEL-02-01_x:0 there is no MEMORY.md",
			"DELIVERABLE_NOT_DEFINED PKG-02_More/1_Working/DEL-02-01_x:0 no decomposition defines DEL-02-01"}},
		"other names in the decomposition": {file: "_Decomposition/plan.md", from: "Site Works", to: "Site & Works", want: []string{
			`FOLDER_NAME_DIFFERS PKG-01_Site Works:0 the decomposition calls PKG-01 "Site & Works"`,
			`CONTEXT_FIELD_DIFFERS DEL/_CONTEXT.md:4 Package is "Site Works", in the decomposition "Site & Works"`}},
		"no folder for work": {gone: pkg + "/1_Working", want: []string{"PACKAGE_NO_WORKING PKG-01_Site Works:0 there is no folder 1_Working",
			"PACKAGE_FOLDERS_MISSING PKG-01_Site Works:0 there is no folder 1_Working/_Archive", "DELIVERABLE_NO_FOLDER _Decomposition/plan.md:7 DEL-01-01 has no folder"}},

		"no context":        {gone: del + "_CONTEXT.md", want: []string{"DELIVERABLE_FILE_MISSING DEL:0 there is no _CONTEXT.md"}},
		"no memory":         {gone: del + "MEMORY.md", want: []string{"MEMORY_MISSING DEL:0 there is no MEMORY.md"}},
		"agent memory":      {made: del + "_MEMORY.md", want: []string{"AGENT_MEMORY_PRESENT DEL/_MEMORY.md:0 _MEMORY.md exists"}},
		"context, a folder": {gone: del + "_CONTEXT.md", made: del + "_CONTEXT.md/x", want: []string{"FILE_IS_NO_FILE DEL/_CONTEXT.md:0 is no regular file"}},
		"not text":          {file: del + "_CONTEXT.md", to: "# Context: DEL-01-01\xff", want: []string{"PROJECT_FILE_NOT_TEXT DEL/_CONTEXT.md:0 the file is not UTF-8 text, or has NUL bytes"}},
		"too large":         {file: del + "MEMORY.md", from: "## Open", to: strings.Repeat("x", 5000) + "\n## Open", want: []string{"PROJECT_FILE_TOO_LARGE DEL/MEMORY.md:0 has more than 4096 bytes"}},
		"initialized without its documents": {file: del + "_STATUS.md", to: "# Status: DEL-01-01 Drainage Plan\n\n**Current State:** SEMANTIC_READY\n**Last Updated:** 2026-01-02\n\n## History\n" +
			"- 2026-01-02 — State set to OPEN (PREPARATION)\n- 2026-01-02 — State set to INITIALIZED (4_DOCUMENTS)\n- 2026-01-02 — State set to SEMANTIC_READY (CHIRALITY_FRAMEWORK)\n",
			made: del + "Guidance.md", want: []string{
				"DOCUMENT_KIT_MISSING DEL:0 there is no Datasheet.md, Specification.md, Procedure.md, on which SEMANTIC_READY rests",
				"DOCUMENT_EMPTY DEL/Guidance.md:0 the document is empty, and SEMANTIC_READY rests on it",
				"SEMANTIC_PLACEHOLDER DEL/_SEMANTIC.md:0 the file is a placeholder, and SEMANTIC_READY rests on it"}},
		"a binary document": {made: del + "Procedure.md = a\x00b", want: []string{"DOCUMENT_NOT_TEXT DEL/Procedure.md:0 the document is not UTF-8 text, or has NUL bytes"}},
		"another encoding":  {made: del + "Datasheet.md = a\xffb", want: []string{"DOCUMENT_NOT_TEXT DEL/Datasheet.md:0 the document is not UTF-8 text, or has NUL bytes"}},
		"no semantic lens":  {gone: del + "_SEMANTIC.md", want: []string{"SEMANTIC_ABSENT DEL:0 there is no _SEMANTIC.md"}},
		"no tool root":      {gone: "_Archive", want: []string{"TOOL_ROOT_MISSING :0 there is no folder _Archive"}},
		"another name in a title": {file: del + "_STATUS.md", from: "# Status: DEL-01-01 Drainage Plan", to: "# Status: DEL-01-01 Sewer Plan", want: []string{
			`TITLE_NAME_DIFFERS DEL/_STATUS.md:1 the title says "Sewer Plan", the decomposition "Drainage Plan"`}},
		"no name in a title": {file: del + "_REFERENCES.md", from: "DEL-01-01 Drainage Plan", to: "DEL-01-01", want: []string{
			`TITLE_NAME_DIFFERS DEL/_REFERENCES.md:1 the title gives no name, the decomposition "Drainage Plan"`}},
		"a title in capitals": {file: del + "_DEPENDENCIES.md", from: "DEL-01-01 Drainage Plan", to: "DEL-01-01 DRAINAGE-PLAN"},
		"another name in the dependencies": {file: del + "_DEPENDENCIES.md", from: "DEL-01-01 Drainage Plan", to: "DEL-01-01 Sewer Plan", want: []string{
			`TITLE_NAME_DIFFERS DEL/_DEPENDENCIES.md:1 the title says "Sewer Plan", the decomposition "Drainage Plan"`}},
		"a state of their own": {file: del + "_STATUS.md", from: "State:** OPEN", to: "State:** RETIRED", want: []string{
			`STATUS_STATE_UNKNOWN DEL/_STATUS.md:3 the current state is "RETIRED", which the lifecycle does not have`,
			"STATUS_HISTORY_DISAGREES DEL/_STATUS.md:3 the current state is RETIRED, the newest entry (line 7) says OPEN"}},

		"context of another":        {file: del + "_CONTEXT.md", from: "# Context: DEL-01-01", to: "# Context: DEL-01-02", want: []string{"CONTEXT_ID_MISMATCH DEL/_CONTEXT.md:1 the title names DEL-01-02, the folder is DEL-01-01"}},
		"context of another, below": {file: del + "_CONTEXT.md", from: "ID:** DEL-01-01", to: "ID:** DEL-02-01_x", want: []string{"CONTEXT_ID_MISMATCH DEL/_CONTEXT.md:23 the file names DEL-02-01, the folder is DEL-01-01"}},
		"three digits are the same": {file: del + "_CONTEXT.md", from: "# Context: DEL-01-01", to: "# Context: DEL-001-01", want: []string{`CONTEXT_TITLE DEL/_CONTEXT.md:1 the title is "Context: DEL-001-01"`}},
		"an id with a label":        {file: del + "_CONTEXT.md", from: "ID:** DEL-01-01", to: "ID:** DEL-01-01_Drainage", want: []string{"CONTEXT_FIELD_FORM DEL/_CONTEXT.md:23 Deliverable ID holds more than the id"}},
		"another title":             {file: del + "_CONTEXT.md", from: "# Context: DEL-01-01", to: "# Context — DEL-01-01", want: []string{`CONTEXT_TITLE DEL/_CONTEXT.md:1 the title is "Context — DEL-01-01"`}},
		"no title":                  {file: del + "_CONTEXT.md", from: "# Context: DEL-01-01\n", want: []string{"CONTEXT_TITLE DEL/_CONTEXT.md:1 there is no title"}},
		"no name":                   {file: del + "_CONTEXT.md", from: "**Name:** Drainage Plan", to: "**Name:**", want: []string{"CONTEXT_FIELD_MISSING DEL/_CONTEXT.md:0 there is no field **Name:**"}},
		"no discipline":             {file: del + "_CONTEXT.md", from: "**Discipline:** Civil\n", want: []string{"CONTEXT_FIELD_ABSENT DEL/_CONTEXT.md:0 there is no field **Discipline:**"}},
		"no package":                {file: del + "_CONTEXT.md", from: "**Package:** PKG-01 Site Works\n", want: []string{"CONTEXT_FIELD_MISSING DEL/_CONTEXT.md:0 there is no field **Package:**"}},
		"another name":              {file: del + "_CONTEXT.md", from: "Name:** Drainage Plan", to: "Name:** Sewer Plan", want: []string{`CONTEXT_FIELD_DIFFERS DEL/_CONTEXT.md:3 Name is "Sewer Plan", in the decomposition "Drainage Plan"`}},
		"a name in capitals":        {file: del + "_CONTEXT.md", from: "Name:** Drainage Plan", to: "Name:** `DRAINAGE_PLAN`", want: []string{`CONTEXT_FIELD_SPELLED DEL/_CONTEXT.md:3 Name is "DRAINAGE_PLAN", in the decomposition "Drainage Plan"`}},
		"another package":           {file: del + "_CONTEXT.md", from: "PKG-01 Site", to: "PKG-02 Site", want: []string{"CONTEXT_PACKAGE_MISMATCH DEL/_CONTEXT.md:4 the file names PKG-02, the folder is in PKG-01"}},
		"a package with a dash":     {file: del + "_CONTEXT.md", from: "PKG-01 Site", to: "PKG-001 -- Site", want: []string{"CONTEXT_FIELD_FORM DEL/_CONTEXT.md:4 there is more than a blank between the package's id and its name"}},
		"a package in two fields": {file: del + "_CONTEXT.md", from: "**Package:** PKG-01 Site", to: "**PackageID:** `PKG-01`\n**Package:** Site",
			want: []string{"CONTEXT_FIELD_FORM DEL/_CONTEXT.md:5 the package's id has a field of its own"}},
		"a package without id": {file: del + "_CONTEXT.md", from: "PKG-01 Site", to: "Site", want: []string{"CONTEXT_FIELD_FORM DEL/_CONTEXT.md:4 the package has no id"}},
		"sections missing and renamed": {file: del + "_CONTEXT.md", from: "## Scope Traceability", to: "### Scope Coverage (all)", want: []string{
			`CONTEXT_SECTION_NAME DEL/_CONTEXT.md:18 the section Scope Traceability is called "Scope Coverage (all)"`}},
		"a section missing":         {file: del + "_CONTEXT.md", from: "## Acceptance Criteria\nx\n", want: []string{"CONTEXT_SECTIONS_MISSING DEL/_CONTEXT.md:0 there is no section Acceptance Criteria"}},
		"a pointer under Reference": {file: del + "_CONTEXT.md", from: "**Decomposition file:** _D", to: "**Reference:** _D", want: []string{"CONTEXT_FIELD_FORM DEL/_CONTEXT.md:22 the decomposition has no field of its own"}},
		"a pointer without a label": {file: del + "_CONTEXT.md", from: "**Decomposition file:** _Decomposition/plan.md", to: "[the plan](../../../_Decomposition/plan.md)", want: []string{"CONTEXT_FIELD_FORM DEL/_CONTEXT.md:22 the decomposition has no field of its own"}},
		"a role in a section": {file: del + "_CONTEXT.md", from: "**Responsible:** Lead\n\n", to: "\n## Responsible Party\nLead\n\n", want: []string{
			"CONTEXT_FIELD_FORM DEL/_CONTEXT.md:9 Responsible has a section of its own"}},
		"a role in a section, another": {file: del + "_CONTEXT.md", from: "**Responsible:** Lead\n\n", to: "\n## Responsible Party\n- Clerk\n\n", want: []string{
			"CONTEXT_FIELD_FORM DEL/_CONTEXT.md:9 Responsible has a section of its own", `CONTEXT_FIELD_DIFFERS DEL/_CONTEXT.md:9 Responsible is "Clerk", in the decomposition "Lead"`}},
		"no pointer":                   {file: del + "_CONTEXT.md", from: "_Decomposition/plan.md", to: "TBD", want: []string{"CONTEXT_NO_DECOMPOSITION DEL/_CONTEXT.md:0 there is no field **Decomposition file:**"}},
		"a pointer to nothing":         {file: del + "_CONTEXT.md", from: "_Decomposition/plan.md", to: "_Decomposition/none.md", want: []string{"CONTEXT_DECOMPOSITION_NOT_FOUND DEL/_CONTEXT.md:22 there is no _Decomposition/none.md"}},
		"a pointer from above":         {file: del + "_CONTEXT.md", from: "_Decomposition/plan.md", to: "`execution/_Decomposition/plan.md`", want: []string{"CONTEXT_DECOMPOSITION_PATH DEL/_CONTEXT.md:22 the document is _Decomposition/plan.md"}},
		"a pointer, the name alone":    {file: del + "_CONTEXT.md", from: "_Decomposition/plan.md", to: "plan.md", want: []string{"CONTEXT_DECOMPOSITION_PATH DEL/_CONTEXT.md:22 the document is _Decomposition/plan.md"}},
		"a pointer that is a link":     {file: del + "_CONTEXT.md", from: "_Decomposition/plan.md", to: "[plan](../../../_Decomposition/plan.md)"},
		"a pointer out of the project": {file: del + "_CONTEXT.md", from: "_Decomposition/plan.md", to: "../../../../../etc/passwd", want: []string{"CONTEXT_DECOMPOSITION_NOT_FOUND DEL/_CONTEXT.md:22 there is no ../../../../../etc/passwd"}},

		"references in a comment": {file: del + "_REFERENCES.md", from: "\n## Notes", to: "<!--\n- [x](gone.md)\n-->\n\n## Notes"},
		"references of another":   {file: del + "_REFERENCES.md", from: "DEL-01-01", to: "DEL-01-09", want: []string{"REFERENCES_ID_MISMATCH DEL/_REFERENCES.md:1 the title names DEL-01-09, the folder is DEL-01-01"}},
		"references, bare":        {file: del + "_REFERENCES.md", from: "# References: DEL-01-01", to: "# References", want: []string{`REFERENCES_TITLE DEL/_REFERENCES.md:1 the title is "References Drainage Plan"`}},
		"references in another form": {file: del + "_REFERENCES.md", from: "- Plan — _Decomposition/plan.md — defines it", to: "- Plan\n* RFP: section 5\n- A -- _Sources/ -- Relevance: b", want: []string{
			"REFERENCES_FORM DEL/_REFERENCES.md:4 2 entries are not of the form Name — Location — Relevance, this the first"}},
		"references to nothing": {file: del + "_REFERENCES.md", from: "- none", to: "- [a](none.md#x) [b](https://x/y.md) [c](../../../_Decomposition/plan.md) [d](../../../../../x)\n" +
			"- `execution/_Decomposition/gone.md` `src/none.go` `_Decomposition/plan.md` `a b/c` `/etc/x`\n```\n[e](none2.md)\n```", want: []string{
			"REFERENCES_NOT_FOUND DEL/_REFERENCES.md:7 the link leads to " + del + "none.md, which is not there",
			"REFERENCES_NOT_FOUND DEL/_REFERENCES.md:8 the project has no execution/_Decomposition/gone.md"}},
		"a location that is not there": {file: del + "_REFERENCES.md", from: "- Plan — _Decomposition/plan.md — defines it", to: "- A — _Decomposition/a b.md — c\n" +
			"- B -- Location: ../../0_References/b.pdf -- d\n- C — ../../../../../x — out of it\n- D — src/x.go — elsewhere\n- E — _Decomposition/plan.md, page 3 — f", want: []string{
			"REFERENCES_NOT_FOUND DEL/_REFERENCES.md:4 the project has no _Decomposition/a b.md",
			"REFERENCES_NOT_FOUND DEL/_REFERENCES.md:5 the project has no ../../0_References/b.pdf"}},
		"references without sections": {file: del + "_REFERENCES.md", from: "## Applicable References", to: "## Source Documents", want: []string{
			`REFERENCES_SECTION_NAME DEL/_REFERENCES.md:3 the section Applicable References is called "Source Documents"`}},

		"memory of another": {file: del + "MEMORY.md", from: "DEL-01-01", to: "DEL-01-09", want: []string{"MEMORY_ID_MISMATCH DEL/MEMORY.md:1 the title names DEL-01-09, the folder is DEL-01-01"}},
		"memory without sections": {file: del + "MEMORY.md", from: "## Open Items\n\n## Proposal History\n", to: "## Open Questions\n", want: []string{
			"MEMORY_SECTIONS_MISSING DEL/MEMORY.md:0 there is no section Proposal History",
			`MEMORY_SECTION_NAME DEL/MEMORY.md:7 the section Open Items is called "Open Questions"`}},
		"memory, another title": {file: del + "MEMORY.md", from: "# Memory", to: "# Working Memory", want: []string{`MEMORY_TITLE DEL/MEMORY.md:1 the title is "Working Memory — DEL-01-01"`}},

		"a pointer in bold": {file: "_Estimates/_LATEST.md", to: "# Latest\n\n**Latest Snapshot:** `EST_2026-01-02_1200_2/`\n**Updated:** 2026-01-02\n",
			want: []string{"LATEST_FORM _Estimates/_LATEST.md:3 the lines are not of the form Latest: and Updated:"}},
		"a pointer of a name alone": {file: "_Estimates/_LATEST.md", to: "# Latest\n\n`EST_2026-01-02_1200_2/`\n\nUpdated: 2026-01-02\n", want: []string{
			"LATEST_FORM _Estimates/_LATEST.md:3 the lines are not of the form Latest: and Updated:"}},
		"a dead pointer of a name alone": {file: "_Estimates/_LATEST.md", to: "- EST_2026-01-09_1200\nUpdated: 2026-01-02\n", want: []string{
			"LATEST_FORM _Estimates/_LATEST.md:1 the lines are not of the form Latest: and Updated:", "LATEST_TARGET_MISSING _Estimates/_LATEST.md:1 there is no snapshot EST_2026-01-09_1200"}},
		"an empty pointer":          {file: "_Estimates/_LATEST.md", to: "nothing\n", want: []string{"LATEST_NO_TARGET _Estimates/_LATEST.md:0 there is no line Latest:"}},
		"a dead pointer":            {file: "_Estimates/_LATEST.md", from: "EST_2026-01-02_1200_2", to: "../EST_2026-01-09_1200", want: []string{"LATEST_TARGET_MISSING _Estimates/_LATEST.md:1 there is no snapshot EST_2026-01-09_1200"}},
		"an old pointer":            {file: "_Estimates/_LATEST.md", from: "1200_2", to: "1200", want: []string{"LATEST_OUTDATED _Estimates/_LATEST.md:1 EST_2026-01-02_1200_2 is newer than EST_2026-01-02_1200"}},
		"an undated pointer":        {file: "_Estimates/_LATEST.md", from: "Updated: 2026-01-02", to: "Updated: today", want: []string{"LATEST_NO_DATE _Estimates/_LATEST.md:2 there is no date of the update"}},
		"a snapshot without a date": {file: "_Estimates/_LATEST.md", from: "EST_2026-01-02_1200_2", to: "final", made: "_Estimates/final/x", want: []string{"SNAPSHOT_NAME _Estimates/_LATEST.md:1 final does not end with a date and a time"}},
		"a pointer elsewhere": {made: "_Estimates/_Lines/_LATEST.md = Latest: EST_2026-01-02_1200\nUpdated: 2026-01-02\n", want: []string{
			"LATEST_TARGET_ELSEWHERE _Estimates/_Lines/_LATEST.md:1 EST_2026-01-02_1200 is in _Estimates"}},
		"a snapshot that changed": {made: "_Estimates/EST_2026-01-02_1200/new.csv", want: []string{
			"SNAPSHOT_FILE_ADDED _Estimates/EST_2026-01-02_1200/new.csv:0 the file was not there when the snapshot was published"}},
		"a register": {made: del + "Dependencies.csv = RegisterSchemaVersion\n", want: []string{"MISSING_CORE_COLUMNS DEL/Dependencies.csv:1 ",
			"IMPLEMENTS_NODE_CARDINALITY ", "DEPENDENCIES_SECTION_MISSING ", "DEPENDENCIES_SECTION_MISSING ", "DEPENDENCIES_SECTION_MISSING ", "DEPENDENCIES_SECTION_MISSING "}},
		"a register that is none": {made: del + "Dependencies.csv/x", want: []string{"FILE_IS_NO_FILE DEL/Dependencies.csv:0 is no regular file"}},
		"a knowledge type":        {made: pkg + "/1_Working/KTY-AB-01_Soils/_STATUS.md", want: []string{"STATUS_TITLE ", "STATUS_STATE_MISSING ", "STATUS_UPDATED_MISSING ", "STATUS_HISTORY_MISSING "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := sound()
			for file := range files {
				if c.gone != "" && strings.HasPrefix(file+"/", c.gone+"/") {
					delete(files, file)
				}
			}
			switch {
			case c.file == "":
			case c.from == "":
				files[c.file] = c.to
			case !strings.Contains(files[c.file], c.from):
				t.Fatalf("%s does not have %q", c.file, c.from)
			default:
				files[c.file] = strings.Replace(files[c.file], c.from, c.to, 1)
			}
			if c.made != "" {
				file, text, _ := strings.Cut(c.made, " = ")
				files[file] = text
			}
			report := validated(t, write(t, files), Options{FileBytes: 4096})
			got, want := told(report.Findings), append([]string{}, c.want...)
			for i := range got {
				for _, w := range want {
					if strings.HasSuffix(w, " ") && strings.HasPrefix(got[i], w) {
						got[i] = w // what another room words
					}
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if errors, _ := finding.Count(report.Findings); report.Valid != (errors == 0) {
				t.Errorf("valid %v with %d errors", report.Valid, errors)
			}
		})
	}
}

// A finding about a pointer has a remedy where no folder of a deliverable was looked at before it.
func TestRemedyWithoutDeliverables(t *testing.T) {
	t.Parallel()
	files := sound()
	for name := range files {
		if strings.HasPrefix(name, pkg) {
			delete(files, name)
		}
	}
	files["_Estimates/_LATEST.md"] = "nothing\n"
	digest := finding.NewDigest(1)
	validated(t, write(t, files), Options{Today: "2026-11-20", Digest: digest})
	if all := digest.Tallies(); !slices.Contains(all, finding.Tally{Code: "LATEST_NO_TARGET", Severity: finding.Error, Count: 1}) {
		t.Errorf("found %v", all)
	}
}

// The example is what its README says, but for the folders that git does not keep.
func TestExample(t *testing.T) {
	t.Parallel()
	for _, f := range validated(t, filepath.Join("..", "..", "..", "examples", "project"), Options{Today: "2026-11-20"}).Findings {
		if f.Code != rulePackageFolders.Code && f.Code != ruleToolRoots.Code {
			t.Errorf("%s %s:%d: %s", f.Code, f.Path, f.Line, f.Message)
		}
	}
}
