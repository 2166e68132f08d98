package api

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/validate"
)

// A report that is written piece by piece is the one that is encoded as a whole, with the
// same tag, whether it is kept as it is or compressed.
func TestWrittenReports(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 3, 60_000} {
		whole := validate.Report{ProjectRoot: `/a "findings":[] b`, Findings: []finding.Finding{}, Summary: validate.Summary{Codes: []finding.Tally{{Code: `"findings":[]`}}}}
		empty := whole
		for i := range n {
			whole.Findings = append(whole.Findings, finding.Finding{Path: "a<b>.md", Code: "X", Line: i, Message: strings.Repeat("long ", 20)})
		}
		want, err := encode(whole)
		if err != nil {
			t.Fatal(err)
		}
		got, err := written(func(w io.Writer) error {
			l := listWriter{w: w, name: "findings"}
			l.begin(empty)
			for i := range whole.Findings {
				l.add(&whole.Findings[i])
			}
			return l.end(empty)
		})
		if err != nil {
			t.Fatal(err)
		}
		if large := n > 50_000; large != (got.packed != nil) || large == (got.body != nil) {
			t.Errorf("%d findings: kept in %d bytes, compressed in %d", n, len(got.body), len(got.packed))
		}
		var sent bytes.Buffer
		if _, err := got.WriteTo(&sent); err != nil || !bytes.Equal(sent.Bytes(), want.body) || got.tag != want.tag || got.size != want.size {
			t.Errorf("%d findings: %v, %d bytes with the tag %s, want %d with %s", n, err, sent.Len(), got.tag, want.size, want.tag)
		}
		packed, err := got.compress()
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed.body))
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(z); err != nil || !bytes.Equal(data, want.body) || packed.tag != strings.TrimSuffix(want.tag, `"`)+`-gzip"` {
			t.Errorf("%d findings: %v, tag %s", n, err, packed.tag)
		}
	}
}

// A report without its list, or with a filled one, is no answer.
func TestListWriterNeedsAnEmptyList(t *testing.T) {
	t.Parallel()
	for _, report := range []any{map[string]any{"a": 1}, map[string]any{"list": []int{1}}, func() {}} {
		var b bytes.Buffer
		l := listWriter{w: &b, name: "list"}
		l.begin(report)
		l.add(2)
		if err := l.end(report); err == nil {
			t.Errorf("written: %s", b.String())
		}
	}
}
