package register

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

const host = "DEL-01-02_Some Name"

// aRow is a row that is right in every way, with changes: "Column", "value", and so on.
func aRow(id string, changes ...string) map[string]string {
	row := map[string]string{
		"RegisterSchemaVersion": "v3.1", "DependencyID": id, "FromPackageID": "PKG-01", "FromDeliverableID": "DEL-01-02", "FromDeliverableName": "Some Name",
		"DependencyClass": "EXECUTION", "AnchorType": "NOT_APPLICABLE", "Direction": "UPSTREAM", "DependencyType": "INTERFACE",
		"TargetType": "DELIVERABLE", "TargetDeliverableID": "DEL-01-03", "EvidenceFile": "Datasheet.md", "SourceRef": "Datasheet.md, Inputs",
		"EvidenceQuote": "a quote", "SatisfactionStatus": "TBD", "Origin": "EXTRACTED", "FirstSeen": "2026-01-01", "LastSeen": "2026-01-02", "Status": "ACTIVE",
	}
	for i := 0; i < len(changes); i += 2 {
		row[changes[i]] = changes[i+1]
	}
	return row
}

func anchor(id string, changes ...string) map[string]string {
	return aRow(id, append([]string{
		"DependencyClass", "ANCHOR", "AnchorType", "IMPLEMENTS_NODE", "DependencyType", "OTHER", "TargetType", "WBS_NODE", "TargetDeliverableID", "", "TargetRefID", "SOW-1",
	}, changes...)...)
}

// put makes a register of rows.
func put(t *testing.T, base *Register, rows ...map[string]string) *Register {
	t.Helper()
	r, _, err := base.Put(rows, host)
	if err != nil {
		t.Fatal(err, fault.From(err).Details)
	}
	return r
}

// rowsOf are the rows that a client would send back.
func rowsOf(r *Register) []map[string]string {
	var all []map[string]string
	for _, v := range r.View().Rows {
		all = append(all, v.Map())
	}
	return all
}

func TestPutNew(t *testing.T) {
	t.Parallel()
	r, warnings, err := Parse(nil).Put([]map[string]string{
		anchor("DEP-01-02-001", "Zeta", "", "ConsumerHint", "task", "Alpha,\"x\"", "1"),
		aRow("DEP-01-02-002", "Direction", "inbound", "DependencyType", "COORDINATION", "EvidenceQuote", strings.Repeat("word ", 31), "Statement", "a, \"b\"\nc"),
	}, host)
	if err != nil {
		t.Fatal(err)
	}
	want := canonicalHeader + ",ConsumerHint,\"Alpha,\"\"x\"\"\",Zeta\n" +
		"v3.1,DEP-01-02-001,PKG-01,DEL-01-02,Some Name,ANCHOR,IMPLEMENTS_NODE,UPSTREAM,OTHER,WBS_NODE,,,SOW-1,,,,Datasheet.md,\"Datasheet.md, Inputs\",a quote,,,,TBD,,EXTRACTED,2026-01-01,2026-01-02,ACTIVE,,TASK,1,\n" +
		"v3.1,DEP-01-02-002,PKG-01,DEL-01-02,Some Name,EXECUTION,NOT_APPLICABLE,UPSTREAM,OTHER,DELIVERABLE,,DEL-01-03,,,,\"a, \"\"b\"\"\nc\",Datasheet.md,\"Datasheet.md, Inputs\"," + strings.Repeat("word ", 31) + ",,,,TBD,,EXTRACTED,2026-01-01,2026-01-02,ACTIVE,,,,\n"
	if diff := cmp.Diff(want, string(r.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantWarnings := []string{"ROW:DEP-01-02-002:DIRECTION_NORMALIZED", "ROW:DEP-01-02-002:DEPENDENCY_TYPE_NORMALIZED", "ROW:DEP-01-02-002:EVIDENCE_QUOTE_OVER_30_WORDS"}
	if diff := cmp.Diff(wantWarnings, warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPutKeepsBytes: only the cells change that hold something else.
//
// Covers: workspace 6.7
func TestPutKeepsBytes(t *testing.T) {
	t.Parallel()
	base := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "SatisfactionStatus", "PENDING"), aRow("DEP-01-02-003"))
	// As people and other programs leave it: a byte order mark, mixed line ends,
	// blank lines, quotes where none are needed, older words, a short row.
	messy := "\ufeff" + strings.NewReplacer(
		"Notes\n", "Notes\r\n\r\n",
		"v3.1,DEP-01-02-002,", "v3.1,\"DEP-01-02-002\",",
		"ACTIVE,\nv3.1,DEP-01-02-003", "ACTIVE,\r\n,,,\nv3.1,DEP-01-02-003",
		"UPSTREAM,OTHER", "INBOUND,other",
	).Replace(strings.TrimSuffix(string(base.Bytes()), ",\n"))
	base = Parse([]byte(messy))
	if got := len(base.View().Warnings); got != 1 {
		t.Fatalf("%d warnings: %v", got, base.View().Warnings)
	}

	rows := rowsOf(base)
	if got := string(put(t, base, rows...).Bytes()); got != messy {
		t.Errorf("rows that say nothing new change the file (-want +got):\n%s", cmp.Diff(messy, got))
	}

	rows[1]["SatisfactionStatus"] = "IN_PROGRESS"
	want := strings.Replace(messy, ",PENDING,", ",IN_PROGRESS,", 1)
	if diff := cmp.Diff(want, string(put(t, base, rows...).Bytes())); diff != "" {
		t.Errorf("one cell (-want +got):\n%s", diff)
	}

	// Where a row changes, its older words do, too; and a row that is added ends as
	// the one before it.
	rows[0]["Notes"] = `a, "b"`
	want = strings.Replace(want, "INBOUND,other", "UPSTREAM,OTHER", 1)
	want = strings.Replace(want, "2026-01-02,ACTIVE,", "2026-01-02,ACTIVE,\"a, \"\"b\"\"\"", 1)
	rows = append(rows, aRow("DEP-01-02-004"))
	got := string(put(t, base, rows...).Bytes())
	at := strings.Index(got, "\r\nv3.1,DEP-01-02-004,")
	if at < 0 || strings.HasSuffix(got, "\n") {
		t.Fatalf("the new row is not where it belongs:\n%s", got)
	}
	if diff := cmp.Diff(want, got[:at]); diff != "" {
		t.Errorf("one row and a new one (-want +got):\n%s", diff)
	}

	// A client may send rows in another order: records move as they are.
	back := rowsOf(base)
	back[1], back[2] = back[2], back[1]
	records := strings.SplitAfter(messy, "\n") // header, blank, row, row, blank cells, row
	want = strings.Join([]string{records[0], records[1], records[2], records[4], records[5], "\n", strings.TrimSuffix(records[3], "\r\n")}, "")
	if diff := cmp.Diff(want, string(put(t, base, back...).Bytes())); diff != "" {
		t.Errorf("rows in another order (-want +got):\n%s", diff)
	}
}

func TestPutColumns(t *testing.T) {
	t.Parallel()
	base := Parse([]byte("DependencyID,Own,Notes\n" + "DEP-01-02-001,mine\n"))
	if _, _, err := base.Put([]map[string]string{aRow("DEP-01-02-001")}, host); err != nil {
		t.Fatal(err)
	}
	r := put(t, base, anchor("DEP-01-02-001", "Extra", "x", "Notes", "n", "Never", ""))
	want := "RegisterSchemaVersion,DependencyID,Own,Notes," +
		"FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType,TargetType,TargetRefID,EvidenceFile,SourceRef," +
		"EvidenceQuote,SatisfactionStatus,Origin,FirstSeen,LastSeen,Status,Extra\n" +
		"v3.1,DEP-01-02-001,mine,n,PKG-01,DEL-01-02,Some Name,ANCHOR,IMPLEMENTS_NODE,UPSTREAM,OTHER,WBS_NODE,SOW-1,Datasheet.md,\"Datasheet.md, Inputs\"," +
		"a quote,TBD,EXTRACTED,2026-01-01,2026-01-02,ACTIVE,x\n"
	if diff := cmp.Diff(want, string(r.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPutRepeatedColumns: a column whose name comes again has no value in a view, so it
// keeps its own; a name that a new column could not have is no reason to refuse rows.
func TestPutRepeatedColumns(t *testing.T) {
	t.Parallel()
	text := string(put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002")).Bytes())
	text = strings.Replace(text, canonicalHeader, canonicalHeader+",Remark,Remark,,=Sum", 1)
	text = strings.ReplaceAll(text, "ACTIVE,\n", "ACTIVE,,first,second,below,1\n")
	base := Parse([]byte(text))
	rows := rowsOf(base)
	rows[0]["Status"], rows[0]["Remark"] = "RETIRED", "third"
	want := strings.Replace(text, "ACTIVE,,first,second", "RETIRED,,first,third", 1)
	if diff := cmp.Diff(want, string(put(t, base, rows...).Bytes())); diff != "" {
		t.Errorf("put (-want +got):\n%s", diff)
	}

	proposed := put(t, Parse(nil), anchor("DEP-01-02-001", "Remark", "third"), aRow("DEP-01-02-002"))
	after, _, err := base.Apply(proposed, ProposalOptions{Host: host})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(text, "ACTIVE,,first,second", "ACTIVE,,first,third", 1); string(after.Bytes()) != want {
		t.Errorf("applied (-want +got):\n%s", cmp.Diff(want, string(after.Bytes())))
	}
}

func TestPutQuotesAsTheFileDoes(t *testing.T) {
	t.Parallel()
	quotedAll := strings.ReplaceAll(`"`+strings.ReplaceAll(canonicalHeader, ",", `","`)+`"`, "\n", "") + "\r\n"
	r := put(t, Parse([]byte(quotedAll)), anchor("DEP-01-02-001"))
	if !strings.HasPrefix(string(r.Bytes()), quotedAll+`"v3.1","DEP-01-02-001","PKG-01"`) || !strings.HasSuffix(string(r.Bytes()), ",\"\"\r\n") {
		t.Errorf("%s", r.Bytes())
	}
}

// Covers: workspace 6.1, 6.2, 6.3, 6.4, 6.5, 6.8
func TestPutRefuses(t *testing.T) {
	t.Parallel()
	without := func(name string) map[string]string {
		row := aRow("DEP-01-02-001")
		delete(row, name)
		return row
	}
	for name, c := range map[string]struct {
		rows []map[string]string
		want fault.Type
		says string
	}{
		"an id twice":                    {[]map[string]string{aRow("DEP-01-02-001"), aRow("DEP-01-02-001")}, fault.DuplicateDependencyID, "rows[1] (DEP-01-02-001)"},
		"another schema":                 {[]map[string]string{aRow("DEP-01-02-001", "RegisterSchemaVersion", "v3.0")}, fault.InvalidSchema, "v3.0"},
		"no id":                          {[]map[string]string{aRow("")}, fault.InvalidIdentity, "DependencyID is required"},
		"no name":                        {[]map[string]string{aRow("DEP-01-02-001", "FromDeliverableName", " ")}, fault.InvalidIdentity, "FromDeliverableName"},
		"no class":                       {[]map[string]string{without("DependencyClass")}, fault.InvalidEnum, "DependencyClass is required; it is one of ANCHOR, EXECUTION"},
		"no day":                         {[]map[string]string{without("LastSeen")}, fault.InvalidDate, "LastSeen is required"},
		"no status":                      {[]map[string]string{without("Status")}, fault.InvalidEnum, "Status"},
		"an ill-formed id":               {[]map[string]string{aRow("DEP-0102-001")}, fault.InvalidIdentity, "DEP-0102-001"},
		"an ill-formed deliverable":      {[]map[string]string{aRow("DEP-01-02-001", "FromDeliverableID", "DEL-01-02_x")}, fault.InvalidIdentity, "DEL-01-02_x"},
		"another deliverable":            {[]map[string]string{aRow("DEP-01-02-001", "FromDeliverableID", "DEL-01-01")}, fault.InvalidIdentity, "register of DEL-01-02"},
		"a day that is none":             {[]map[string]string{aRow("DEP-01-02-001", "FirstSeen", "1.2.2026")}, fault.InvalidDate, "1.2.2026"},
		"a day off the calendar":         {[]map[string]string{aRow("DEP-01-02-001", "FirstSeen", "2025-02-29")}, fault.InvalidDate, "2025-02-29"},
		"days in the wrong order":        {[]map[string]string{aRow("DEP-01-02-001", "LastSeen", "2025-01-01")}, fault.InvalidDate, "before FirstSeen"},
		"a word that is none":            {[]map[string]string{aRow("DEP-01-02-001", "Confidence", "sure")}, fault.InvalidEnum, "HIGH, MEDIUM, LOW"},
		"a word of an extension":         {[]map[string]string{aRow("DEP-01-02-001", "ConsumerHint", "me")}, fault.InvalidEnum, "ConsumerHint"},
		"an anchor that is none":         {[]map[string]string{anchor("DEP-01-02-001", "AnchorType", "NOT_APPLICABLE")}, fault.InvalidClassification, "ANCHOR"},
		"an anchor of a type":            {[]map[string]string{anchor("DEP-01-02-001", "DependencyType", "ENABLES")}, fault.InvalidClassification, "ENABLES"},
		"an execution with an anchor":    {[]map[string]string{aRow("DEP-01-02-001", "AnchorType", "IMPLEMENTS_NODE")}, fault.InvalidClassification, "EXECUTION"},
		"a deliverable without id":       {[]map[string]string{aRow("DEP-01-02-001", "TargetDeliverableID", "")}, fault.InvalidTarget, "needs TargetDeliverableID"},
		"a document with one":            {[]map[string]string{aRow("DEP-01-02-001", "TargetType", "DOCUMENT")}, fault.InvalidTarget, "DOCUMENT"},
		"an ill-formed target":           {[]map[string]string{aRow("DEP-01-02-001", "TargetDeliverableID", "DEL-1")}, fault.InvalidTarget, "DEL-1"},
		"no provenance":                  {[]map[string]string{aRow("DEP-01-02-001", "SourceRef", "")}, fault.InvalidProvenance, "SourceRef"},
		"a formula":                      {[]map[string]string{aRow("DEP-01-02-001", "Notes", "=HYPERLINK(1)")}, fault.InvalidCell, "Notes"},
		"a NUL":                          {[]map[string]string{aRow("DEP-01-02-001", "Notes", "a\x00")}, fault.InvalidCell, "control"},
		"a cell without end":             {[]map[string]string{aRow("DEP-01-02-001", "Notes", strings.Repeat("x", maxCell+1))}, fault.InvalidCell, "characters"},
		"a column name with a line end":  {[]map[string]string{aRow("DEP-01-02-001", "a\nb", "x")}, fault.InvalidRequest, "control"},
		"a column name that is blank":    {[]map[string]string{aRow("DEP-01-02-001", "", "x")}, fault.InvalidRequest, "empty"},
		"a column name that is trimmed":  {[]map[string]string{aRow("DEP-01-02-001", "Notes ", "x")}, fault.InvalidRequest, "blank"},
		"the first of several, all told": {[]map[string]string{aRow("DEP-01-02-001", "Status", "", "EvidenceFile", "x", "Origin", "me"), aRow("x")}, fault.InvalidEnum, "2 more problems"},
	} {
		_, _, err := Parse(nil).Put(c.rows, host)
		if e := fault.From(err); e == nil || e.Type != c.want || !strings.Contains(e.Message, c.says) || e.Status != 400 {
			t.Errorf("%s: %v, want %s with %q", name, err, c.want, c.says)
		}
	}
}

// Covers: workspace 6.6
func TestPutNeverDeletes(t *testing.T) {
	t.Parallel()
	base := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"))
	_, _, err := base.Put([]map[string]string{anchor("DEP-01-02-001")}, host)
	if e := fault.From(err); e == nil || e.Type != fault.RowDeletionRefused || !cmp.Equal(e.Details["dependencyIds"], []string{"DEP-01-02-002"}) {
		t.Errorf("a row was left out: %v", err)
	}
	_, _, err = base.Put([]map[string]string{anchor("DEP-01-02-001"), aRow("DEP-01-02-003")}, host)
	if !fault.Is(err, fault.RowDeletionRefused) {
		t.Errorf("a row was renamed: %v", err)
	}
	// A row without an id may get one, and nothing else at the same time.
	text := strings.Replace(string(base.Bytes()), "DEP-01-02-002", "", 1)
	nameless := Parse([]byte(text))
	if got := string(put(t, nameless, anchor("DEP-01-02-001"), aRow("DEP-01-02-002")).Bytes()); got != string(base.Bytes()) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(string(base.Bytes()), got))
	}
	_, _, err = nameless.Put([]map[string]string{anchor("DEP-01-02-001")}, host)
	if e := fault.From(err); e == nil || e.Type != fault.RowDeletionRefused || !cmp.Equal(e.Details["dependencyIds"], []string{"row 3"}) {
		t.Errorf("a row without id was left out: %v", err)
	}
}

// Covers: workspace 6.6
func TestSatisfaction(t *testing.T) {
	t.Parallel()
	all := append([]string{""}, enumerations[Satisfaction].words...)
	allowed := map[string]string{
		"TBD": "TBD PENDING NOT_APPLICABLE WAIVED", "PENDING": "PENDING IN_PROGRESS NOT_APPLICABLE WAIVED", "IN_PROGRESS": "IN_PROGRESS SATISFIED WAIVED",
		"SATISFIED": "SATISFIED", "WAIVED": "WAIVED", "NOT_APPLICABLE": "NOT_APPLICABLE",
	}
	for _, before := range all {
		base := put(t, Parse(nil), aRow("DEP-01-02-001", "SatisfactionStatus", before))
		for _, after := range all {
			_, _, err := base.Put([]map[string]string{aRow("DEP-01-02-001", "SatisfactionStatus", after)}, host)
			may := before == "" || after != "" && strings.Contains(" "+allowed[before]+" ", " "+after+" ")
			if may != (err == nil) || err != nil && !fault.Is(err, fault.InvalidSatisfactionTransition) {
				t.Errorf("%q to %q: %v", before, after, err)
			}
		}
	}
	odd := Parse([]byte(strings.Replace(string(put(t, Parse(nil), aRow("DEP-01-02-001")).Bytes()), ",TBD,", ",DONE,", 1)))
	if _, _, err := odd.Put([]map[string]string{aRow("DEP-01-02-001")}, host); !fault.Is(err, fault.InvalidSatisfactionTransition) {
		t.Errorf("from an unknown word: %v", err)
	}
}

func TestPutDamaged(t *testing.T) {
	t.Parallel()
	good := string(put(t, Parse(nil), aRow("DEP-01-02-001")).Bytes())
	for name, text := range map[string]string{
		"an open quote":     good + `v3.1,"DEP-01-02-002`,
		"another encoding":  good + "\xff",
		"UTF-16":            "\xff\xfea\x00",
		"semicolons":        strings.ReplaceAll(good, ",", ";"),
		"tabs":              strings.ReplaceAll(good, ",", "\t"),
		"no ids":            "DependencyType,Status\nOTHER,ACTIVE\n",
		"too many cells":    good + strings.Repeat(",", maxRowCells),
		"a long row, wider": strings.TrimSuffix(good, "\n") + ",,,\n",
	} {
		_, _, err := Parse([]byte(text)).Put([]map[string]string{aRow("DEP-01-02-001", "New", "x")}, host)
		if !fault.Is(err, fault.InvalidSchema) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Covers: workspace 6.7
func TestView(t *testing.T) {
	t.Parallel()
	r := Parse([]byte("\ufeff Direction ,DependencyType,Own,Direction\r\nx, coordination,\" kept \",outbound,more\r\n,,\n\nshort\n"))
	v := r.View()
	data, err := v.Rows[0].MarshalJSON()
	if want := `{"RegisterSchemaVersion":"v3.1","Direction":"DOWNSTREAM","DependencyType":"OTHER","Own":" kept "}`; err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
	want := []string{"MISSING_SCHEMA_VERSION_COLUMN", "ROW_1:SCHEMA_VERSION_INFERRED", "ROW_1:DEPENDENCY_TYPE_NORMALIZED", "ROW_1:DIRECTION_NORMALIZED", "ROW_2:SCHEMA_VERSION_INFERRED"}
	if diff := cmp.Diff(want, v.Warnings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"RegisterSchemaVersion": "v3.1", "Direction": "", "DependencyType": "", "Own": ""}, v.Rows[1].Map()); diff != "" {
		t.Error(diff)
	}
	if v := Parse(nil).View(); !cmp.Equal(v.Headers, coreNames) || len(v.Rows) != 0 || v.Rows == nil {
		t.Errorf("the view of nothing is %+v", v)
	}
}
