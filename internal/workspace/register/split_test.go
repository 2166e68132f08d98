package register

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// values are the values of every record.
func (t *table) values() [][]string {
	var all [][]string
	for i := range t.records {
		var row []string
		for k := range int(t.records[i].n) {
			row = append(row, t.cellOf(i, k))
		}
		all = append(all, row)
	}
	return all
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want [][]string
	}{
		{"", nil},
		{"\ufeff", nil},
		{"\n\r\n\r", nil},
		{"a,b", [][]string{{"a", "b"}}},
		{"\ufeffa,b\r\nc,\n", [][]string{{"a", "b"}, {"c", ""}}},
		{"a\rb\r\rc", [][]string{{"a"}, {"b"}, {"c"}}},
		{"a\r\r\nb", [][]string{{"a"}, {"b"}}},
		{",\n\n,,\n", [][]string{{"", ""}, {"", "", ""}}},
		{"\"\"\n\n\"\"", [][]string{{""}, {""}}},
		{`"a,b","c ""d"" e"` + "\n", [][]string{{"a,b", `c "d" e`}}},
		{"\"a\nb\r\nc\rd\",e\nf", [][]string{{"a\nb\r\nc\rd", "e"}, {"f"}}},
		{`a "b, c" d,e`, [][]string{{"a b, c d", "e"}}},
		{`"a"b"c,d",e`, [][]string{{"abc,d", "e"}}},
		{` "a,b" ,c`, [][]string{{" a,b ", "c"}}},
		{`a,"b` + "\nc,d", [][]string{{"a", "b\nc,d"}}},
		{`a,"b""`, [][]string{{"a", `b"`}}},
		{`"`, [][]string{{""}}},
		{"a\x00,\xff\n", [][]string{{"a\x00", "\xff"}}},
	} {
		s := split(c.in, quoteAnywhere)
		if diff := cmp.Diff(c.want, s.values()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.in, diff)
		}
	}
}

// TestQuotesInsideCells: the original's linter takes them for characters.
func TestQuotesInsideCells(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][][]string{
		`a "b, c" d,"e"f"g",""""`: {{`a "b`, ` c" d`, `ef"g"`, `"`}},
		`5" pipe,6" bolt`:         {{`5" pipe`, `6" bolt`}},
	} {
		s := split(in, quoteAtStart)
		if diff := cmp.Diff(want, s.values()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
		if s := split(in, quoteAnywhere); !s.stray {
			t.Errorf("%q is not known to be read differently", in)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	s := split("h\n\n\"a\nb\r\nc\rd\"\r\n\re\rf\n", quoteAnywhere)
	var lines []int
	for _, r := range s.records {
		lines = append(lines, int(r.line))
	}
	if diff := cmp.Diff([]int{1, 3, 8, 9}, lines); diff != "" {
		t.Error(diff)
	}
}

// TestLimits: what is too much is not read, and written back as it was.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"a row of commas":  "a,b\n1,2\n" + strings.Repeat(",", maxRowCells) + "\n3,4\n",
		"a file of commas": strings.Repeat(strings.Repeat(",", maxRowCells-1)+"\n", maxCells/maxRowCells+1),
		"a large file":     strings.Repeat("a", MaxBytes+1),
		"short rows":       strings.Repeat("a,", maxRowCells-1) + "a\n" + strings.Repeat("b\n", maxCells/maxRowCells),
		"many rows":        "a\n" + strings.Repeat("b\n", maxRows+1),
	} {
		r := Parse([]byte(in))
		if !bytes.Equal(r.Bytes(), []byte(in)) {
			t.Errorf("%s is not what it was", name)
		}
		found := r.Lint("x", "")
		if len(found) == 0 || found[0].Code != ruleRead.Code {
			t.Errorf("%s: %.200v", name, found)
		}
		if _, _, err := r.Put(nil, ""); err == nil {
			t.Errorf("%s is written to", name)
		}
	}
}

// TestViewable: what is shown of a register is not many times what it holds.
func TestViewable(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxView/maxRows)
	for text, want := range map[string]bool{
		"":                                       true,
		"a\n" + strings.Repeat("b\n\n", maxRows): true,
		long + "\n" + strings.Repeat("b\n", maxRows-1): false,
		long + "\n" + strings.Repeat("b\n", maxRows/2): true,
	} {
		r := Parse([]byte(text))
		if r.Viewable() != want {
			t.Errorf("a register of %d rows under %d bytes: %v", r.Len(), len(r.columns), !want)
		}
		if data, err := json.Marshal(r.View()); want && (err != nil || len(data) > 2*maxView) {
			t.Errorf("the view has %d bytes, %v", len(data), err)
		}
	}
}

// TestIdentity reads every file of the real projects as a register and writes it
// back.
func TestIdentity(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(corpus(t), func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		files++
		r := parseFile(t, path)
		r.Lint(path, "")
		r.View()
		return nil
	})
	if err != nil || files < 1000 {
		t.Errorf("%d files, %v", files, err)
	}
}
