package register

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

// proposal is a register of rows as an agent would extract it.
func proposal(t *testing.T, rows ...map[string]string) *Register {
	t.Helper()
	return put(t, Parse(nil), rows...)
}

func ids(rows []DiffRow) []string {
	all := []string{}
	for _, r := range rows {
		all = append(all, r.ID)
	}
	return all
}

// Covers: workspace 6.6, 6.8
func TestApply(t *testing.T) {
	t.Parallel()
	base := put(t, Parse(nil), anchor("DEP-01-02-001"),
		aRow("DEP-01-02-002", "SatisfactionStatus", "SATISFIED", "Notes", "of a person"),
		aRow("DEP-01-02-003", "Origin", "DECLARED"),
		aRow("DEP-01-02-004"),
		aRow("DEP-01-02-005", "Status", "RETIRED"),
		aRow("DEP-01-02-006", "SatisfactionStatus", ""))
	p := proposal(t, anchor("DEP-01-02-001", "LastSeen", "2026-02-02"),
		aRow("DEP-01-02-002", "Statement", "found again", "FirstSeen", "2026-01-02", "LastSeen", "2025-12-31", "FirstSeen", "2025-01-01"),
		aRow("DEP-01-02-005", "LastSeen", "2026-02-02"),
		aRow("DEP-01-02-006", "SatisfactionStatus", "PENDING", "LastSeen", "2026-02-02"),
		aRow("DEP-01-02-007", "ConsumerHint", "TASK"))
	after, diff, err := base.Apply(p, ProposalOptions{Host: host, Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	want := &Diff{
		New: diff.New,
		Confirmed: []DiffRow{
			{ID: "DEP-01-02-001", Row: 2, Changes: []Change{{"LastSeen", "2026-01-02", "2026-02-02"}}},
			{ID: "DEP-01-02-002", Row: 3, Changes: []Change{{"Statement", "", "found again"}}, Kept: []string{"SatisfactionStatus stays SATISFIED: it cannot go to TBD"}},
			{ID: "DEP-01-02-005", Row: 6, Changes: []Change{{"LastSeen", "2026-01-02", "2026-02-02"}, {"Status", "RETIRED", "ACTIVE"}}},
			{ID: "DEP-01-02-006", Row: 7, Changes: []Change{{"SatisfactionStatus", "", "PENDING"}, {"LastSeen", "2026-01-02", "2026-02-02"}}},
		},
		Retired: []DiffRow{{ID: "DEP-01-02-004", Row: 5, Changes: []Change{{"Status", "ACTIVE", "RETIRED"}}}},
		Columns: []string{"ConsumerHint"},
	}
	if diff := cmp.Diff(want, diff); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !cmp.Equal(ids(diff.New), []string{"DEP-01-02-007"}) || !diff.Changes() {
		t.Errorf("new are %v", diff.New)
	}
	text := strings.NewReplacer("Notes\n", "Notes,ConsumerHint\n", "ACTIVE,\n", "ACTIVE,,\n", "RETIRED,\n", "RETIRED,,\n", "of a person\n", "of a person,\n").Replace(string(base.Bytes()))
	got := string(after.Bytes())
	for i, line := range strings.SplitAfter(text, "\n") {
		if i == 0 || i == 3 { // the header, and the row that people declared
			if !strings.Contains(got, line) {
				t.Errorf("line %d is gone: %s\n%s", i, line, got)
			}
		}
	}
	if v := after.Row(3); v.Value(Status) != statusRetired {
		t.Errorf("row 4 is %s", v.Value(Status))
	}
	if again, diff, err := after.Apply(p, ProposalOptions{Host: host, Complete: true}); err != nil || diff.Changes() || string(again.Bytes()) != got {
		t.Errorf("applied again: %v, %+v", err, diff)
	}
}

// TestApplyKeeps: what a proposal does not retire: rows that people declared, and
// those that it could not know.
func TestApplyKeeps(t *testing.T) {
	t.Parallel()
	base := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "Origin", "DECLARED"), aRow("DEP-01-02-003"), aRow("DEP-01-02-004"))
	p := proposal(t, anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "Status", "RETIRED", "Origin", "EXTRACTED", "Notes", "x"))
	after, diff, err := base.Apply(p, ProposalOptions{Host: host, Complete: true, Retirable: []string{"DEP-01-02-002", "DEP-01-02-003"}})
	if err != nil {
		t.Fatal(err)
	}
	want := DiffRow{ID: "DEP-01-02-002", Row: 3, Changes: []Change{{"Notes", "", "x"}}, Kept: []string{"Status stays ACTIVE: people declared the row"}}
	if !cmp.Equal(ids(diff.Retired), []string{"DEP-01-02-003"}) || len(diff.Confirmed) != 2 || !cmp.Equal(diff.Confirmed[1], want) {
		t.Errorf("%+v", diff)
	}
	if row := after.Row(1); row.Value(Status) != statusActive || row.Value(Origin) != declared {
		t.Errorf("the declared row is %s", after.Bytes())
	}
	if _, diff, err = base.Apply(p, ProposalOptions{Host: host, Complete: true, Retirable: []string{}}); err != nil || len(diff.Retired) != 0 {
		t.Errorf("%v, %+v", err, diff)
	}
}

// TestApplyUnknownWords: a word that the column does not take is no other opinion that
// the register could keep its own against, but a mistake.
//
// Covers: workspace 6.3, 6.8
func TestApplyUnknownWords(t *testing.T) {
	t.Parallel()
	base := put(t, Parse(nil), aRow("DEP-01-02-001", "SatisfactionStatus", "PENDING", "Origin", "DECLARED"))
	for name, c := range map[string]struct{ column, was, text, says string }{
		"satisfaction": {"SatisfactionStatus", "PENDING", "DONE", "SatisfactionStatus takes no DONE; it is one of TBD, PENDING, IN_PROGRESS, SATISFIED, WAIVED, NOT_APPLICABLE"},
		"origin":       {"Origin", "DECLARED", "GUESSED", "Origin takes no GUESSED; it is one of DECLARED, EXTRACTED"},
	} {
		text := strings.Replace(string(base.Bytes()), ","+c.was, ","+c.text, 1)
		after, diff, err := base.Apply(Parse([]byte(text)), ProposalOptions{Host: host})
		if f := fault.From(err); f == nil || f.Type != fault.InvalidEnum || !strings.Contains(f.Message, c.says) || after != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(diff.Confirmed) != 1 || len(diff.Confirmed[0].Kept) > 0 {
			t.Errorf("%s: %+v", name, diff)
		}
	}
}

func TestApplyOnly(t *testing.T) {
	t.Parallel()
	base := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"))
	p := proposal(t, aRow("DEP-01-02-003"), aRow("DEP-01-02-004"))
	after, diff, err := base.Apply(p, ProposalOptions{Host: host, Complete: true, Only: []string{"DEP-01-02-004"}})
	if err != nil || len(diff.New) != 2 || len(diff.Retired) != 2 {
		t.Fatalf("%v, %+v", err, diff)
	}
	if got := string(after.Bytes()); !strings.HasPrefix(got, string(base.Bytes())) || after.Len() != 3 || after.Row(2).ID() != "DEP-01-02-004" {
		t.Errorf("it is:\n%s", got)
	}
	after, diff, err = base.Apply(p, ProposalOptions{Host: host})
	if err != nil || len(diff.Retired) != 0 || after.Len() != 4 {
		t.Errorf("without retiring: %v, %+v", err, diff)
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	base := put(t, Parse(nil), anchor("DEP-01-02-001"))
	for name, c := range map[string]struct {
		text string
		want fault.Type
		says string
	}{
		"nothing":       {"", fault.InvalidSchema, "the header lacks DependencyID"},
		"semicolons":    {strings.ReplaceAll(canonicalHeader, ",", ";") + "\na;b\n", fault.InvalidSchema, "is it separated by semicolons?"},
		"too many rows": {"DependencyID\n" + strings.Repeat("a\n", MaxProposalRows+1), fault.InvalidSchema, "it has 10001 rows, more than the 10000 that are taken at once"},
		"no rows":       {canonicalHeader + "\n", fault.InvalidSchema, "no rows"},
		"an open quote": {canonicalHeader + "\n\"a", fault.InvalidSchema, "inside of quotes"},
		"a long row":    {"DependencyID\na,b\n", fault.InvalidSchema, "row 2 has more cells"},
		"a formula":     {"DependencyID,=1+x\na,b\n", fault.InvalidSchema, "formula"},
		"UTF-16":        {"\xff\xfea", fault.InvalidSchema, "UTF-8"},
		"a bad row":     {string(proposal(t, aRow("DEP-01-02-002")).Bytes()) + "v3.1,DEP-01-02-003\n", fault.InvalidIdentity, "row 3 of the proposal (DEP-01-02-003)"},
		"an id twice": {strings.ReplaceAll(string(proposal(t, aRow("DEP-01-02-002"), aRow("DEP-01-02-003")).Bytes()), "DEP-01-02-003", "DEP-01-02-002"),
			fault.DuplicateDependencyID, "row 3 of the proposal"},
	} {
		_, _, err := base.Apply(Parse([]byte(c.text)), ProposalOptions{Host: host, Complete: true})
		if e := fault.From(err); e == nil || e.Type != c.want || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %v, want %s with %q", name, err, c.want, c.says)
		}
	}
}

// TestApplyToFlawed: what was wrong before does not keep a register from being kept
// up to date; what would become wrong does.
func TestApplyToFlawed(t *testing.T) {
	t.Parallel()
	flawed := strings.NewReplacer("DEP-01-02-002", "DEP-0102-A02", "HIGH", "sure").Replace(string(put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "Confidence", "HIGH")).Bytes()))
	base := Parse([]byte(flawed))
	after, diff, err := base.Apply(Parse([]byte("DependencyID,LastSeen\nDEP-0102-A02,2026-05-05\n")), ProposalOptions{Host: host})
	if err != nil || string(after.Bytes()) == flawed || len(diff.Confirmed) != 1 {
		t.Fatalf("%v, %+v", err, diff)
	}
	for text, want := range map[string]fault.Type{
		"DependencyID,LastSeen\nDEP-0102-A02,soon\n":           fault.InvalidDate,
		"DependencyID,Confidence\nDEP-0102-A02,surer\n":        fault.InvalidEnum,
		"DependencyID,AnchorType\nDEP-0102-A02,WHAT\n":         fault.InvalidEnum,
		"DependencyID,Notes\nDEP-0102-A02,=1+1\n":              fault.InvalidCell,
		"DependencyID,TargetType\nDEP-0102-A02,DOCUMENT\n":     fault.InvalidTarget,
		"DependencyID,FromDeliverableID\nDEP-0102-A02,DEL-1\n": fault.InvalidIdentity,
	} {
		if _, _, err := base.Apply(Parse([]byte(text)), ProposalOptions{Host: host}); !fault.Is(err, want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestApplyAddsColumns: a register gets a version, and the columns of the rows; the diff
// says so where anything changes at all.
func TestApplyAddsColumns(t *testing.T) {
	t.Parallel()
	base := Parse([]byte("DependencyID,LastSeen\nDEP-01-02-001,2026-05-05\n"))
	for proposed, want := range map[string][]string{
		"DependencyID,LastSeen,Own\nDEP-01-02-001,2026-05-06,x\n": {SchemaVersion.String(), "Own"},
		"DependencyID,LastSeen\nDEP-01-02-001,2026-05-05\n":       nil,
	} {
		after, diff, err := base.Apply(Parse([]byte(proposed)), ProposalOptions{Host: host})
		if err != nil || !cmp.Equal(diff.Columns, want) {
			t.Fatalf("%q adds %q, want %q: %v", proposed, diff.Columns, want, err)
		}
		for _, name := range diff.Columns {
			if !slices.Contains(after.columns, name) {
				t.Errorf("%q: the register has the columns %q", proposed, after.columns)
			}
		}
	}
}

// FuzzApply: whatever is proposed, rows are never lost, those that it does not name
// keep their bytes, and applying it twice is applying it once.
func FuzzApply(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, data) })
	f.Add(generated(102, 3), []byte(canonicalHeader+"\nv3.1,DEP-01-02-001,PKG-01\n"))
	f.Add(generated(102, 3), []byte("DependencyID,LastSeen,Own\nDEP-01-02-001,2026-09-09,x\nDEP-01-02-002,,\n"))
	f.Fuzz(func(t *testing.T, data, proposed []byte) {
		base := Parse(data)
		after, diff, err := base.Apply(Parse(proposed), ProposalOptions{Host: host, Complete: true})
		if err != nil {
			return
		}
		if after.Len() != base.Len()+len(diff.New) {
			t.Fatalf("%d rows of %d, %d new", after.Len(), base.Len(), len(diff.New))
		}
		for i := range base.rows {
			if base.Row(i).Raw(DependencyID) != after.Row(i).Raw(DependencyID) {
				t.Fatalf("row %d is %q, was %q", i, after.Row(i).Raw(DependencyID), base.Row(i).Raw(DependencyID))
			}
		}
		if !diff.Changes() && len(base.records) > 0 && base.Has(SchemaVersion) && string(after.Bytes()) != string(data) {
			t.Fatalf("nothing changes, and the bytes do:\n%s", cmp.Diff(string(data), string(after.Bytes())))
		}
		again, _, err := after.Apply(Parse(proposed), ProposalOptions{Host: host, Complete: true})
		if err != nil || string(again.Bytes()) != string(after.Bytes()) {
			t.Fatalf("applied again: %v\n%s", err, cmp.Diff(string(after.Bytes()), string(again.Bytes())))
		}
	})
}
