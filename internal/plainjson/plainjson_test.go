package plainjson

import (
	"encoding/json"
	"reflect"
	"testing"

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
