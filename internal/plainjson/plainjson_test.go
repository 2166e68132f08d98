package plainjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What is written reads back, in one line, and has no escape that JSON does not
// need.
func TestMarshal(t *testing.T) {
	t.Parallel()
	got, err := Marshal(map[string]any{"a": "x && y <z>", "b": json.RawMessage(`"&"`)})
	if want := `{"a":"x && y <z>","b":"&"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	indented, err := MarshalIndent(map[string]string{"a": "<&>"})
	if want := "{\n  \"a\": \"<&>\"\n}"; err != nil || string(indented) != want {
		t.Errorf("%s, %v, want %s", indented, err, want)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function was written")
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "in")
		data, err := Marshal(in)
		out := map[string]string{}
		if err != nil || json.Unmarshal(data, &out) != nil || !reflect.DeepEqual(in, out) {
			t.Fatalf("%q became %s, %v", in, data, err)
		}
	})
}

// What is written in pieces is, byte by byte, what is written at once, but for the stand-in
// for bytes that are no text, which encoding/json escapes.
func TestWrite(t *testing.T) {
	t.Parallel()
	type inner struct {
		A string `json:"a"`
		B *int   `json:"b,omitempty"`
	}
	type outer struct {
		inner
		None   []string          `json:"none"`
		Empty  []string          `json:"empty,omitempty"`
		Zero   time.Time         `json:"zero,omitzero"`
		Moment time.Time         `json:"moment"`
		Long   time.Duration     `json:"long"`
		Bytes  []byte            `json:"bytes"`
		Fixed  [2]byte           `json:"fixed"`
		Floats []float64         `json:"floats"`
		Small  float32           `json:"small"`
		Raw    json.RawMessage   `json:"raw"`
		Map    map[string]*inner `json:"map"`
		Number int               `json:"number,string"`
		Any    any               `json:"any"`
		NoName bool
		hidden int
	}
	for _, v := range []any{
		nil, []string(nil), map[string]int(nil), (*outer)(nil), "<&>\u2028\xff", outer{hidden: 1},
		&outer{
			inner: inner{A: "<a href='/x'>&\u2029</a>\x00\x1f\x7f\"\\\b\f"}, Empty: []string{}, Moment: time.Unix(1e9, 5).UTC(), Long: time.Second,
			Bytes: []byte("<&>"), Floats: []float64{0, -0.5, 1e21, 1e-7, math.MaxFloat64, 3}, Small: 0.1,
			Raw: json.RawMessage(` { "z" : "<" , "a" : [ 1.50 ] } `), Map: map[string]*inner{"B": nil, "A": {A: "\xe2\x80"}},
			Any: map[string]any{"b": 1, "a": []any{nil, true, 1.5}},
		},
	} {
		want, err := Marshal(v)
		var got bytes.Buffer
		if err := errors.Join(err, Write(struct{ io.Writer }{&got}, v)); err != nil || escaped(got.String()) != escaped(string(want))+"\n" {
			t.Errorf("%v\n%s\nwant\n%s", err, got.String(), want)
		}
	}
	if Write(io.Discard, math.NaN()) == nil || Write(io.Discard, func() {}) == nil {
		t.Error("what has no JSON was written")
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "in")
		want, err := Marshal(in)
		var got bytes.Buffer
		if err := errors.Join(err, Write(&got, in)); err != nil || escaped(got.String()) != escaped(string(want))+"\n" {
			t.Fatalf("%v: %s, want %s", err, got.String(), want)
		}
	})
}

func escaped(s string) string { return strings.ReplaceAll(s, "\ufffd", `\ufffd`) }

// A long value is never gathered.
func TestWriteInPieces(t *testing.T) {
	t.Parallel()
	longest := 0
	all := maps.Collect(func(yield func(string, string) bool) {
		for i := range 10_000 {
			if !yield(strings.Repeat("k", i%50)+string(rune('a'+i%26)), "value") {
				return
			}
		}
	})
	w := writerFunc(func(p []byte) (int, error) { longest = max(longest, len(p)); return len(p), nil })
	if err := Write(w, []any{all, all, all, all, all, all, all, all, all, all}); err != nil || longest > 64<<10 {
		t.Errorf("%v: a piece of %d bytes", err, longest)
	}
	broken := errors.New("broken")
	if err := Write(writerFunc(func([]byte) (int, error) { return 0, broken }), all); !errors.Is(err, broken) {
		t.Errorf("%v, want that of the writer", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
