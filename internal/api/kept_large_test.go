package api

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"belay/internal/plainjson"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/validate"
)

// A report that is kept says what it says, whether it is kept as
// it is or compressed. Its tag is of what it says.
func TestWrittenReports(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 3, 1000, 10_000} {
		whole := validate.Report{ProjectRoot: `/a "findings":[] b`, Findings: []finding.Finding{}, Summary: validate.Summary{Codes: []finding.Tally{{Code: `"findings":[]`}}}}
		for i := range n {
			whole.Findings = append(whole.Findings, finding.Finding{Path: "a<b>.md", Code: "X", Line: i, Message: strings.Repeat("long ", 20)})
		}
		want, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		got, err := written(func(w io.Writer) error { return plainjson.Write(w, whole) })
		if err != nil {
			t.Fatal(err)
		}
		if large := n >= 10_000; large != (got.packed != nil) || large == (got.body != nil) {
			t.Errorf("%d findings: kept in %d bytes, compressed in %d", n, len(got.body), len(got.packed))
		}
		var sent bytes.Buffer
		if _, err := got.WriteTo(&sent); err != nil || !sameJSON(sent.Bytes(), want) || got.size != int64(sent.Len()) {
			t.Errorf("%d findings: %v, %d bytes of %d, want the JSON of %d", n, err, sent.Len(), got.size, len(want))
		}
		again, err := written(func(w io.Writer) error {
			_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{bytes.NewReader(sent.Bytes())}, make([]byte, 1000))
			return err
		})
		if err != nil || again.tag != got.tag {
			t.Errorf("%d findings: %v, the tag is %s in pieces of another length, not %s", n, err, again.tag, got.tag)
		}
		other, err := written(func(w io.Writer) error {
			_, err := w.Write(append(bytes.Clone(sent.Bytes()), ' '))
			return err
		})
		if err != nil || other.tag == got.tag {
			t.Errorf("%d findings: %v, another report has the tag %s too", n, err, got.tag)
		}
		packed, err := got.compress()
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed.body))
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(z); err != nil || !bytes.Equal(data, sent.Bytes()) || packed.tag != strings.TrimSuffix(got.tag, `"`)+`-gzip"` {
			t.Errorf("%d findings: %v, tag %s", n, err, packed.tag)
		}
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
