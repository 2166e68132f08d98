package register

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"belay/internal/plainjson"
)

// View is a register as the compatible contract shows it (8.3): headers trimmed,
// rows without blank ones, short ones padded, extra cells dropped, enumerations in
// capitals and older words replaced. The file itself stays as it is.
type View struct {
	Headers []string `json:"headers"`
	Rows    []Values `json:"rows"`
	// Warnings name what was inferred or replaced: "ROW_2:DIRECTION_NORMALIZED",
	// the first row being 1.
	Warnings []string `json:"warnings"`
}

// Values are the cells of a row under their headers. They encode to a JSON object
// with the headers as names, in their order.
type Values struct {
	names *names
	cells []string
}

// names are the headers of a register.
type names struct {
	all []string
	// at is the column that a name stands for: of two of that name, the last.
	at map[string]int
	// json are the names as they are written before a member, "" for a repetition.
	json []string
}

func newNames(headers []string) *names {
	n := &names{all: headers, at: make(map[string]int, len(headers)), json: make([]string, len(headers))}
	for i, h := range headers {
		if _, twice := n.at[h]; !twice {
			n.json[i] = quoteJSON(h) + ":"
		}
		n.at[h] = i
	}
	return n
}

// quoteJSON is a string in JSON, without HTML escapes.
func quoteJSON(s string) string {
	b, _ := plainjson.Marshal(s) // a string always encodes
	return string(b)
}

// The warnings of the compatible contract.
const (
	warnNoVersionColumn = "MISSING_SCHEMA_VERSION_COLUMN"
	warnVersion         = "SCHEMA_VERSION_INFERRED"
	warnDirection       = "DIRECTION_NORMALIZED"
	warnType            = "DEPENDENCY_TYPE_NORMALIZED"
	warnQuote           = "EVIDENCE_QUOTE_OVER_30_WORDS"
	warnImplements      = "ANCHOR_IMPLEMENTS_NODE_COUNT_NOT_ONE"
)

// Viewable reports whether the view is of a size that programs can be given: each row
// repeats the names of the columns.
func (r *Register) Viewable() bool {
	row := 0
	for _, name := range r.columns {
		row += len(name) + len(`"":"",`)
	}
	return len(r.text)+row*len(r.rows) <= maxView
}

// View returns the register as programs want it. It may be large unless the
// register is [Register.Viewable].
func (r *Register) View() View {
	v := View{Headers: slices.Clone(r.columns), Rows: make([]Values, len(r.rows)), Warnings: []string{}}
	if len(r.records) == 0 {
		v.Headers = slices.Clone(coreNames)
		return v
	}
	inferred := !r.Has(SchemaVersion)
	if inferred {
		v.Headers = slices.Insert(v.Headers, 0, SchemaVersion.String())
		v.Warnings = append(v.Warnings, warnNoVersionColumn)
	}
	known, heads := knownColumns(v.Headers), newNames(v.Headers)
	for i := range r.rows {
		cells, normalized := r.canonicalCells(i, known, inferred)
		v.Rows[i] = Values{heads, cells}
		if inferred {
			v.Warnings = append(v.Warnings, fmt.Sprintf("ROW_%d:%s", i+1, warnVersion))
		}
		for _, w := range normalized {
			v.Warnings = append(v.Warnings, fmt.Sprintf("ROW_%d:%s", i+1, w))
		}
	}
	return v
}

// knownColumns says of each header which column it is, numColumns for none.
func knownColumns(headers []string) []Column {
	all := make([]Column, len(headers))
	for i, h := range headers {
		c, ok := columnNamed[h]
		if !ok {
			c = numColumns
		}
		all[i] = c
	}
	return all
}

// canonicalCells are the cells of row i as the view has them, one for each of the
// columns, and the warnings about words that were replaced. With inferred the
// first column is not in the file.
func (r *Register) canonicalCells(i int, columns []Column, inferred bool) (cells, warnings []string) {
	cells = make([]string, len(columns))
	skip := 0
	if inferred {
		cells[0], skip = Version, 1
	}
	for k := skip; k < len(columns); k++ {
		var warning string
		cells[k], warning = normalized(columns[k], r.cellOf(int(r.rows[i]), k-skip))
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return cells, warnings
}

// normalized is a value as the view has it, and the warning where an older word
// was replaced.
func normalized(c Column, value string) (string, string) {
	switch {
	case c == numColumns:
		return value, ""
	case c == SchemaVersion && strings.TrimSpace(value) == "":
		return Version, ""
	}
	v, replaced := canonical(c, value)
	if !replaced {
		return v, ""
	}
	if c == Direction {
		return v, warnDirection
	}
	return v, warnType
}

// Get is the cell under a header, "" where there is none.
func (v Values) Get(header string) string {
	if i, ok := v.names.at[header]; ok {
		return v.cells[i]
	}
	return ""
}

// Map returns the cells by header.
func (v Values) Map() map[string]string {
	m := make(map[string]string, len(v.cells))
	for i, h := range v.names.all {
		m[h] = v.cells[i]
	}
	return m
}

// MarshalJSON implements json.Marshaler.
func (v Values) MarshalJSON() ([]byte, error) {
	size := 2
	for i, name := range v.names.json {
		size += len(name) + len(v.cells[i]) + len(`"",`)
	}
	b := append(make([]byte, 0, size), '{')
	for i, name := range v.names.json {
		if name == "" {
			continue
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(append(b, name...), v.cells[v.names.at[v.names.all[i]]])
	}
	return append(b, '}'), nil
}

// appendJSON appends a string in JSON. Most cells need no escape, and a long register has a
// hundred thousand of them.
func appendJSON(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return append(b, quoteJSON(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
