package document

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = "\ufeff# Status: X\r\n\r\n**Current State:** OPEN\r\n- **Mode:** `A` \n**Empty:**\n```\n# not a heading\n**No:** field\n```\n## History (list) ##\n" +
	"| Date | From |\n|:--|---|\n| 1 | a\\|b |\n| 2 |\n\n### Sub\nlast"

func TestHeadings(t *testing.T) {
	t.Parallel()
	d := Parse([]byte(sample))
	var got []string
	for _, h := range d.Headings() {
		got = append(got, h.Text)
	}
	if want := []string{"Status: X", "History (list)", "Sub"}; !slices.Equal(got, want) {
		t.Errorf("headings %q, want %q", got, want)
	}
	s, ok := d.Section("Changes", "HISTORY")
	if !ok || d.Line(s.First) != "| Date | From |" || s.End != d.Len() {
		t.Errorf("section %+v, %v", s, ok)
	}
	for line, want := range map[string]int{"####### seven": 0, "#none": 0, "    # code": 0, "#": 1, "   ## x": 2, "# a #b": 1} {
		if h, _ := heading(line); h.Level != want {
			t.Errorf("heading(%q) has level %d, want %d", line, h.Level, want)
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	d := Parse([]byte(sample))
	got := map[string]string{}
	for _, f := range d.Fields(0, d.Len()) {
		got[f.Label] = f.Value
	}
	if len(got) != 3 || got["Current State"] != "OPEN" || got["Mode"] != "`A`" {
		t.Errorf("fields %q", got)
	}
	for _, c := range []struct{ line, value, want string }{
		{"**A:** x", "y", "**A:** y"},
		{"- **A**: x  ", "y", "- **A**: y  "},
		{"**A:**", "y", "**A:** y"},
		{"**A:**   ", "y", "**A:** y   "},
		{"**A:** x", "", "**A:** "},
		{"**A:** x", "y\n# forged", "**A:** y # forged"},
	} {
		d := Parse([]byte(c.line))
		f, ok := d.Field("a")
		if !ok {
			t.Errorf("%q has no field", c.line)
			continue
		}
		d.SetField(f, c.value)
		if got := string(d.Bytes()); got != c.want {
			t.Errorf("%q set to %q is %q, want %q", c.line, c.value, got, c.want)
		}
	}
	for _, line := range []string{"plain", "**bold** text", "**a", "****: x", "    **A:** code"} {
		if f, ok := field(line); ok {
			t.Errorf("field(%q) = %+v", line, f)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	d := Parse([]byte(sample))
	tables := d.Tables(0, d.Len())
	if len(tables) != 1 || len(tables[0].Rows) != 2 || tables[0].Rows[0].Cells[1] != "a|b" {
		t.Fatalf("tables %+v", tables)
	}
	cells, ok := cells(TableRow("a|b", "c\nd"))
	if !ok || !slices.Equal(cells, []string{"a|b", "c d"}) {
		t.Errorf("a row read back is %q", cells)
	}
}

// Comments hold neither headings nor tables nor fields, and a fence in one opens nothing.
// A comment in code, and one that is never closed, are none.
func TestComments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"<!--\n# A\n| B |\n|---|\n| 1 |\n**C:** x\n-->\n# D", "D"},
		{"<!--\n```\n# A\n-->\n# B\n| C |\n|---|\n**D:** x", "B C D"},
		{"```\n<!--\n```\n# A\n```\n-->\n```\n# B", "A B"},
		{"<!-- a -->\n# A\n<!--\n# B\n| C |\n|---|\n**D:** x", "A B C D"},
		{"<!--\n# A\n-->\n# B\n<!--\n# C", "B C"},
	} {
		d := Parse([]byte(c.text))
		var got []string
		for _, h := range d.Headings() {
			got = append(got, h.Text)
		}
		for _, table := range d.Tables(0, d.Len()) {
			got = append(got, table.Header...)
		}
		for _, f := range d.Fields(0, d.Len()) {
			got = append(got, f.Label)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%q has %q, want %q", c.text, got, c.want)
		}
	}
}

func TestInsertAndDelete(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		at   int
		want string
	}{
		{"a\r\nb\r\n", 1, "a\r\nnew\r\nb\r\n"},
		{"a\nb", 2, "a\nb\nnew"},
		{"", 0, "new\n"},
		{"a\r\nb\n", 0, "new\r\na\r\nb\n"},
		{"a", 0, "new\na"},
	} {
		d := Parse([]byte(c.in))
		d.Insert(c.at, "new")
		if got := string(d.Bytes()); got != c.want {
			t.Errorf("%q with a line at %d is %q, want %q", c.in, c.at, got, c.want)
		}
	}
	d := Parse([]byte("a\nb\nc"))
	d.Delete(0, 2)
	if string(d.Bytes()) != "c" {
		t.Errorf("left %q", d.Bytes())
	}
}

// TestCorpora reads every text file of the real projects and writes it back.
func TestCorpora(t *testing.T) {
	t.Parallel()
	root := os.Getenv("BELAY_CORPUS")
	if root == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	files := 0
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".csv") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		d := Parse(data)
		d.Headings()
		d.Tables(0, d.Len())
		if !bytes.Equal(d.Bytes(), data) {
			t.Errorf("%s is not what it was", path)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// FuzzDocument checks that reading forgets nothing, and that a field set is the
// field read, on a line of its own, with every other line as it was.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(sample), "value")
	f.Add([]byte("**A:**\r**B:** x"), "y\r\nz")
	f.Fuzz(func(t *testing.T, data []byte, value string) {
		d := Parse(data)
		if !bytes.Equal(d.Bytes(), data) {
			t.Fatalf("%q became %q", data, d.Bytes())
		}
		for _, s := range d.Sections() {
			if s.First > s.End || s.End > d.Len() {
				t.Fatalf("section %+v of %d lines", s, d.Len())
			}
		}
		for _, table := range d.Tables(0, d.Len()) {
			if len(table.Header) == 0 {
				t.Fatalf("a table without columns at %d", table.Line)
			}
		}
		fields := d.Fields(0, d.Len())
		if len(fields) == 0 {
			return
		}
		if found, ok := d.Field(fields[0].Label); !ok || found != fields[0] {
			t.Fatalf("found %+v, want %+v", found, fields[0])
		}
		before := slices.Clone(d.lines)
		d.SetField(fields[0], value)
		again := Parse(d.Bytes())
		if again.Len() != len(before) {
			t.Fatalf("%d lines became %d", len(before), again.Len())
		}
		for i, l := range again.lines {
			if i != fields[0].Line && l != before[i] {
				t.Fatalf("line %d became %q, was %q", i, l, before[i])
			}
		}
		if got, want := again.Fields(0, again.Len())[0].Value, strings.Trim(oneLine(value), " \t"); got != want {
			t.Fatalf("set to %q, read %q", want, got)
		}
	})
}

func TestSetCell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in     string
		column int
		text   string
		want   string
	}{
		{"| a |  b  | c |", 1, "x", "| a |  x  | c |"},
		{"|a|b|", 0, "x|y", `|x\|y|b|`},
		{"  | a | b", 1, "x\ny", "  | a | x y"},
		{"| a |   | c |", 1, "x", "| a | x | c |"},
		{"||", 0, "x", "| x |"},
		{`| a\|b | c |`, 1, "x", `| a\|b | x |`},
		{"| a |", 1, "x", ""},
		{"no table", 0, "x", ""},
	} {
		d := Parse([]byte(c.in))
		ok := d.SetCell(0, c.column, c.text)
		if got := d.Line(0); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("cell %d of %q set to %q is %q, %v, want %q", c.column, c.in, c.text, got, ok, c.want)
		}
	}
}

// FuzzSame checks the comparison against the form that it stands for.
func FuzzSame(f *testing.F) {
	f.Add("Declared Upstream (I need these)", "declared  upstream:")
	f.Add("**History**", "history")
	f.Add("Ünder", "ünder")
	f.Fuzz(func(t *testing.T, a, b string) {
		if got, want := Same(a, b), plain(a) == plain(b); got != want {
			t.Errorf("Same(%q, %q) = %v, plain %q and %q", a, b, got, plain(a), plain(b))
		}
	})
}
