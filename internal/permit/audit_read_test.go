package permit

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
)

// pages returns the notes of all pages.
func (a *Audit) pages(t *testing.T, f AuditFilter, limit int) (notes []string, pages int) {
	t.Helper()
	for before := int64(0); ; {
		page, err := a.Read(soon(t), f, before, limit)
		must(t, err)
		for _, e := range page.Entries {
			notes = append(notes, e.Note)
		}
		if pages++; page.Next == 0 || pages > 100 {
			return notes, pages
		}
		before = page.Next
	}
}

func TestAuditRead(t *testing.T) {
	t.Parallel()
	a := newAudit(t)
	if notes, _ := a.pages(t, AuditFilter{}, 3); notes != nil {
		t.Errorf("no log: %q", notes)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 10 {
		a.clock = func() time.Time { return start.Add(time.Duration(i) * 24 * time.Hour) }
		must(t, a.Append(soon(t), Entry{Kind: []string{"decision", "undo"}[i%2], Project: []string{"/p", "/q", "/r"}[i%3], By: "ada", Agent: []string{"HELP", ""}[i%2], Note: fmt.Sprint(i)}))
	}
	for _, c := range []struct {
		f    AuditFilter
		want string
	}{
		{AuditFilter{}, "9876543210"}, {AuditFilter{Project: "/p"}, "9630"}, {AuditFilter{Kind: "undo"}, "97531"}, {AuditFilter{Actor: "HELP", Project: "/p"}, "60"},
		{AuditFilter{Actor: "ada"}, "9876543210"}, {AuditFilter{Actor: "eve"}, ""}, {AuditFilter{Since: start.Add(7 * 24 * time.Hour)}, "987"},
	} {
		for _, limit := range []int{1, 3, 500} {
			if notes, pages := a.pages(t, c.f, limit); strings.Join(notes, "") != c.want || limit == 500 && pages > 1 {
				t.Errorf("%+v, %d a page: %q on %d pages", c.f, limit, notes, pages)
			}
		}
	}
	data, err := os.ReadFile(a.path)
	must(t, err)
	must(t, os.WriteFile(a.path, slices.Concat(data, []byte("{broken\n"), []byte(`{"v":99,"n":11,"kind":"undo"}`+"\n"), []byte(`{"n":12,"kind":"torn"`)), 0o600))
	page, err := a.Read(soon(t), AuditFilter{}, 0, 2)
	if err != nil || page.Unreadable != 2 || len(page.Entries) != 2 || page.Entries[0].Line != 10 {
		t.Errorf("a damaged end: %+v, %v", page, err)
	}
	// A place that no page gave is as good as one in the middle of a line.
	for before := int64(1); before < int64(len(data)); before += 97 {
		if _, err := a.Read(soon(t), AuditFilter{}, before, 5); err != nil {
			t.Errorf("before %d: %v", before, err)
		}
	}
}

// A log that is longer than one page reads is read to its beginning, page by page.
func TestAuditReadOfALongLog(t *testing.T) {
	t.Parallel()
	a, data := writtenLog(t, 3)
	line := data[strings.LastIndex(strings.TrimSuffix(string(data), "\n"), "\n")+1:]
	f, err := os.OpenFile(a.path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	for size := 0; size < maxAuditRead+auditPiece; {
		n, err := f.Write(slices.Repeat(line, 1000))
		must(t, err)
		size += n
	}
	must(t, f.Close())
	page, err := a.Read(soon(t), AuditFilter{Actor: "nobody"}, 0, 10)
	if err != nil || page.Next == 0 || len(page.Entries) != 0 || page.Unreadable != 0 {
		t.Fatalf("the first page: next %d, %d entries, %d unreadable, %v", page.Next, len(page.Entries), page.Unreadable, err)
	}
	page, err = a.Read(soon(t), AuditFilter{Actor: "nobody"}, page.Next, 10)
	if err != nil || page.Next != 0 || page.Unreadable != 0 {
		t.Errorf("the second page: next %d, %d unreadable, %v", page.Next, page.Unreadable, err)
	}
}

// A kind that no entry has is refused: an empty answer would say that nothing happened.
func TestAuditReadOfNoKind(t *testing.T) {
	t.Parallel()
	a, _ := writtenLog(t, 1)
	if _, err := a.Read(t.Context(), AuditFilter{Kind: "decisions"}, 0, 10); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("got %v", err)
	}
}
