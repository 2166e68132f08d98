package register

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

// TestPutUnchanged: rows that are all as they were are accepted, whatever is wrong
// with them, and change no byte.
func TestPutUnchanged(t *testing.T) {
	t.Parallel()
	good := string(put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"), aRow("DEP-01-02-003")).Bytes())
	for name, text := range map[string]string{
		"an invalid DependencyID":      strings.Replace(good, "DEP-01-02-002", "DEP-0102-E02", 1),
		"an invalid host":              strings.ReplaceAll(good, ",DEL-01-02,", ",DEL-01-02_Some-Name,"),
		"another host":                 strings.ReplaceAll(good, ",DEL-01-02,", ",DEL-09-09,"),
		"an invalid target":            strings.ReplaceAll(good, ",DEL-01-03,", ",DEL-01-03_Other,"),
		"an id twice":                  strings.Replace(good, "DEP-01-02-003", "DEP-01-02-002", 1),
		"ids that are empty":           strings.NewReplacer("DEP-01-02-002", "", "DEP-01-02-003", " ").Replace(good),
		"another schema":               strings.ReplaceAll(good, "v3.1,DEP", "v2,DEP"),
		"a word that is none":          strings.ReplaceAll(good, ",TBD,", ",DONE,"),
		"words of an older register":   strings.ReplaceAll(good, ",UPSTREAM,", ",inbound,"),
		"a day that is none":           strings.ReplaceAll(good, "2026-01-01", "soon"),
		"no provenance":                strings.ReplaceAll(good, "Datasheet.md,", ","),
		"a formula":                    strings.ReplaceAll(good, "a quote", "=1+1"),
		"a row with too many cells":    strings.Replace(good, "ACTIVE,\n", "ACTIVE,,x,y\n", 1),
		"a row with too few cells":     strings.Replace(good, ",ACTIVE,\n", "\n", 1),
		"a quote that is not closed":   good + `v3.1,"DEP-01-02-004`,
		"columns that nobody knows":    "Own," + strings.ReplaceAll(good, "\nv3.1", "\nx,v3.1"),
		"a column twice":               strings.ReplaceAll(strings.ReplaceAll(good, ",Notes\n", ",Notes,Notes\n"), "ACTIVE,\n", "ACTIVE,a,b\n"),
		"blank lines and other quotes": strings.ReplaceAll(strings.ReplaceAll(good, "\n", "\r\n\r\n"), "Some Name", `"Some Name"`),
		"nothing but a header":         canonicalHeader,
	} {
		base := Parse([]byte(text))
		after, _, err := base.Put(rowsOf(base), host)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(text, string(after.Bytes())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPutJudgesWhatChanges: rows that stay as they are may be wrong; one that changes
// may not, and the error says how its ids become valid.
func TestPutJudgesWhatChanges(t *testing.T) {
	t.Parallel()
	good := string(put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"), aRow("DEP-01-02-003")).Bytes())
	base := Parse([]byte(strings.Replace(good, "DEP-01-02-002", "DEP-0102-E02", 1)))
	rows := rowsOf(base)
	rows[2]["Notes"] = "seen"
	want := strings.TrimSuffix(string(base.Bytes()), "\n") + "seen\n"
	if got := string(put(t, base, append(rows, aRow("DEP-01-02-004"))...).Bytes()); !strings.HasPrefix(got, want) || !strings.Contains(got, "\nv3.1,DEP-01-02-004,") {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
	rows[1]["Notes"] = "seen, too"
	_, _, err := base.Put(rows, host)
	if e := fault.From(err); e == nil || e.Type != fault.InvalidIdentity || !strings.HasPrefix(e.Message, "rows[1] (DEP-0102-E02)") || !strings.Contains(e.Message, "belay deps renumber") {
		t.Errorf("a row with an old id changes: %v", err)
	}
	// The id alone may become a valid one.
	rows = rowsOf(base)
	rows[1]["DependencyID"] = "DEP-01-02-002"
	if diff := cmp.Diff(good, string(put(t, base, rows...).Bytes())); diff != "" {
		t.Errorf("a valid id (-want +got):\n%s", diff)
	}
	for _, change := range []string{"Notes", "Statement"} {
		rows = rowsOf(base)
		rows[1]["DependencyID"], rows[1][change] = "DEP-01-02-002", "x"
		if _, _, err := base.Put(rows, host); !fault.Is(err, fault.RowDeletionRefused) {
			t.Errorf("an id and %s: %v", change, err)
		}
	}
	// The same id again, in a row that is new.
	if _, _, err := base.Put(append(rowsOf(base), aRow("DEP-0102-E02")), host); !fault.Is(err, fault.DuplicateDependencyID) {
		t.Errorf("an id that is there: %v", err)
	}
}

// TestPutUnchangedCorpora: no real register changes by a byte when its rows are sent
// back.
func TestPutUnchangedCorpora(t *testing.T) {
	t.Parallel()
	registers := 0
	err := filepath.WalkDir(corpus(t), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Name() != "Dependencies.csv" {
			return err
		}
		registers++
		base := parseFile(t, path)
		after, _, err := base.Put(rowsOf(base), filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if string(after.Bytes()) != string(base.Bytes()) {
			t.Errorf("%s: bytes change", path)
		}
		return nil
	})
	if err != nil || registers == 0 {
		t.Fatalf("%d registers: %v", registers, err)
	}
}
