package register

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
)

// seeds are registers to begin with: real ones where they are there, and odd ones.
func seeds(f *testing.F, add func(data []byte)) {
	f.Helper()
	for _, s := range []string{
		"", "a", "a,b\n1,2\n", "\ufeffDependencyID,Notes\r\nDEP-01-02-001,\"x, \"\"y\"\"\"\r\n\r\n,,\r\nDEP-01-02-002", "a\rb\r\"c", "a,a\n\"1\n2\",x\"y,z\"\n1,2,3\n",
		canonicalHeader + "\nv3.1,DEP-01-02-001,PKG-01,DEL-01-02,N,execution,NOT_APPLICABLE,INBOUND,INFORMATION,DELIVERABLE,,DEL-01-03,,,,,=a,b,,,,,,,EXTRACTED,2026-02-30,2026-01-01,ACTIVE,-\n",
	} {
		add([]byte(s))
	}
	add(generated(102, 3))
	if root := os.Getenv("BELAY_CORPUS"); root != "" {
		paths, _ := filepath.Glob(filepath.Join(root, "*", "PKG-*", "1_Working", "DEL-*", "Dependencies.csv"))
		for _, p := range paths[:min(len(paths), 20)] {
			if data, err := os.ReadFile(p); err == nil {
				add(data)
			}
		}
	}
}

// unchanged is the draft that changes nothing.
func unchanged(r *Register) *draft {
	d := newDraft(r, nil)
	for i := range r.rows {
		d.rows = append(d.rows, draftRow{from: i, cells: d.before(i)})
	}
	return d
}

// FuzzIdentity: a register that is taken apart and put together again is the same
// bytes, and what the view says of it can be encoded.
func FuzzIdentity(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Parse(data)
		if string(r.Bytes()) != string(data) {
			t.Fatal("it is not what it was")
		}
		end := uint32(0)
		for i, rec := range r.records {
			if rec.start < end || rec.end < rec.start || rec.next < rec.end || i > 0 && strings.Trim(r.text[end:rec.start], "\r\n") != "" {
				t.Fatalf("record %d spans %d to %d, after %d", i, rec.start, rec.next, end)
			}
			end = rec.next
		}
		v := r.View()
		for _, row := range v.Rows {
			if _, err := row.MarshalJSON(); err != nil || len(row.Map()) > len(v.Headers) {
				t.Fatalf("%v: %v", row, err)
			}
		}
		d := unchanged(r)
		if d.writable() != nil || d.front > 0 || len(r.records) == 0 {
			return
		}
		w := writer{d: d, base: r, eol: "\n"}
		if got := string(w.file()); got != string(data) {
			t.Fatalf("put together it is (-want +got):\n%s", cmp.Diff(string(data), got))
		}
	})
}

// FuzzEdit: another value in one cell changes that record alone, and reads back.
func FuzzEdit(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint16(0), uint16(1), "va\"l, u\ne") })
	f.Fuzz(func(t *testing.T, data []byte, row, column uint16, value string) {
		r := Parse(data)
		d := unchanged(r)
		if len(r.rows) == 0 || d.writable() != nil || d.front > 0 {
			return
		}
		i, k := int(row)%len(d.rows), int(column)%len(d.columns)
		if c := d.known[k]; c < numColumns {
			value, _ = normalized(c, value)
		}
		before := slices.Clone(d.rows[i].cells)
		d.rows[i].cells[k] = value
		d.rows[i].changed = !slices.Equal(before, d.rows[i].cells)
		if !slices.ContainsFunc(d.rows[i].cells, func(v string) bool { return strings.TrimSpace(v) != "" }) {
			return // it would be no row anymore
		}
		after, err := d.render()
		if err != nil {
			t.Fatal(err)
		}
		rec := r.records[r.rows[i]]
		head, tail := r.text[:rec.start], r.text[rec.end:]
		if !strings.HasPrefix(after.text, head) || !strings.HasSuffix(after.text[len(head):], tail) {
			t.Fatalf("it is (-before +after):\n%s", cmp.Diff(r.text, after.text))
		}
		if !d.rows[i].changed && after.text != r.text {
			t.Fatal("nothing was changed, and the file was")
		}
	})
}

// FuzzRequoted: the same cells in quotes get the same verdict.
func FuzzRequoted(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Parse(data)
		if r.stray || r.why != "" || !r.utf8 || r.isOpen() {
			return
		}
		var b strings.Builder
		for i := range r.records {
			var cells []string
			for k := range int(r.records[i].n) {
				cells = append(cells, r.cellOf(i, k))
			}
			b.WriteString(plainRecord(cells, true) + "\r\n")
		}
		want, got := verdicts(r), verdicts(Parse([]byte(b.String())))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("of\n%q\nand\n%q (-want +got):\n%s", data, b.String(), diff)
		}
	})
}

// verdicts are the findings without what is about lines.
func verdicts(r *Register) []finding.Finding {
	found := slices.DeleteFunc(r.Lint("x", host), func(f finding.Finding) bool { return f.Code == ruleLoneCR.Code })
	for i := range found {
		found[i].Line = 0
		if found[i].Row == 0 {
			found[i].Message = ""
		}
	}
	return found
}

// FuzzPut: whatever a client sends, it is refused or reads back as it was sent.
func FuzzPut(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, "Notes", "x", "DEP-01-02-009") })
	f.Fuzz(func(t *testing.T, data []byte, name, value, id string) {
		base := Parse(data)
		rows := append(rowsOf(base), aRow(id, name, value))
		r, _, err := base.Put(rows, host)
		if err != nil {
			return
		}
		again := rowsOf(r)
		if len(again) != len(rows) {
			t.Fatalf("%d rows, want %d", len(again), len(rows))
		}
		for i, row := range rows {
			for name, value := range row {
				want, _ := normalized(namedColumn(name), value)
				if got := again[i][name]; got != want {
					t.Fatalf("row %d: %s is %q, want %q", i, name, got, want)
				}
			}
		}
		if errs, _ := finding.Count(slices.DeleteFunc(r.Lint("x", host), func(f finding.Finding) bool {
			return f.Row != r.Records()+1 || f.Code == ruleSelf.Code || f.Code == ruleFromChanges.Code
		})); errs > 0 {
			t.Fatalf("the row that was written has errors: %+v", r.Lint("x", host))
		}
	})
}

// FuzzRenumber: whatever a register holds, only cells of ids change, and a second time
// none does.
func FuzzRenumber(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Add([]byte("DependencyID,TargetType,TargetDeliverableID,FromDeliverableID\nDEP-0102-A1,DELIVERABLE,\"DEL-1-3\",x\n,,,\nDEP-0102-A1\n"))
	target := func(id string) (string, string) {
		if len(id)%2 == 0 {
			return "", "it is even"
		}
		return "DEL-01-03", ""
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Parse(data)
		after, changes, left := NewNumbering(host, target).Renumber(r)
		if len(changes) == 0 && after.text != r.text || after.Len() != r.Len() {
			t.Fatalf("%d changes, %d rows of %d:\n%q", len(changes), after.Len(), r.Len(), after.text)
		}
		for i := range r.rows {
			for k, name := range r.columns {
				if _, isID := validIDs[namedColumn(name)]; !isID && r.cellOf(int(r.rows[i]), k) != after.cellOf(int(after.rows[i]), k) {
					t.Fatalf("row %d, %s changes", i, name)
				}
			}
		}
		if _, again, stay := NewNumbering(host, target).Renumber(after); len(again) > 0 || len(stay) != len(left) {
			t.Fatalf("a second time: %+v, left %+v, then %+v\n%q", again, left, stay, after.text)
		}
	})
}

func namedColumn(name string) Column {
	if c, ok := columnNamed[name]; ok {
		return c
	}
	return numColumns
}
