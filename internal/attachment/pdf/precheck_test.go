package pdf

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestTooDeep(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", maxNesting+1)
	tests := []struct {
		name, data string
		want       bool
	}{
		{"nothing", "", false},
		{"at the limit", strings.Repeat("[", maxNesting), false},
		{"one more", deep, true},
		{"dictionaries", strings.Repeat("<</A", maxNesting+1), true},
		{"closed again", strings.Repeat("[]<<>>", 10_000), false},
		{"closed too often", strings.Repeat("]", 1000) + strings.Repeat("[", maxNesting), false},
		{"a hex string is no dictionary", strings.Repeat("<", 1) + "00>" + strings.Repeat("[", maxNesting), false},
		{"in a string", "(" + deep + ")", false},
		{"in a string with an escape", `(\)` + deep + ")", false},
		{"after a string with an escape", `(\\)` + deep, true},
		{"parentheses in a string", strings.Repeat("(", maxNesting+1), true},
		{"in a comment", "% " + deep + "\n", false},
		{"after a comment", "% x\r" + deep, true},
		{"in a stream", "<< >>\nstream\n" + deep + "\nendstream", false},
		{"after a stream", "<< >> stream\r\nx endstream " + deep, true},
		{"in a stream that does not end", "<< >> stream\n" + deep, false},
		{"after a word like a stream", "/stream\n" + deep, true},
		{"after the end of a stream", ">> endstream\n" + deep, true},
		{"a keyword at the end", "<< >> stream", false},
		{"an escape at the end", `(\`, false},
	}
	for _, tt := range tests {
		if got := tooDeep([]byte(tt.data)); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// The check ends, calls nothing deep that has not so many
// openings, sees what follows a comment and not what is in one or in a stream.
func FuzzPrecheck(f *testing.F) {
	f.Add([]byte("<< /Root 1 0 R >> stream\n[(a\\)<<"))
	f.Add([]byte("%\r[[[(((<<<<endstream"))
	deep := bytes.Repeat([]byte("["), maxNesting+1)
	f.Fuzz(func(t *testing.T, data []byte) {
		got := tooDeep(data)
		if openings := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("<")) + bytes.Count(data, []byte("(")); got && openings <= maxNesting {
			t.Errorf("deep with %d openings", openings)
		}
		line := bytes.Join(bytes.FieldsFunc(data, func(r rune) bool { return r == '\r' || r == '\n' }), nil)
		if tooDeep(append([]byte("%"), line...)) {
			t.Error("looked into a comment")
		}
		if !tooDeep(append(append([]byte("%"), line...), append([]byte("\n"), deep...)...)) {
			t.Error("did not look behind a comment")
		}
		if !bytes.Contains(data, []byte("endstream")) {
			inside := append(append([]byte(">>stream\n"), data...), "endstream"...)
			if tooDeep(inside) {
				t.Error("looked into a stream")
			}
		}
		if !bytes.Contains(data, []byte("/Root")) && !errors.Is(precheck(data), ErrDamaged) {
			t.Error("a file without a catalogue passed")
		}
	})
}

func BenchmarkPrecheck(b *testing.B) {
	data := []byte("/Root " + strings.Repeat("1 0 obj << /A [1 2 (three) <04>] >> endobj\n", 10<<20/43))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := precheck(data); err != nil {
			b.Fatal(err)
		}
	}
}
