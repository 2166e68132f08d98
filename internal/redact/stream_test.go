package redact

import (
	"encoding/json"
	"strings"
	"testing"
)

// However a text is cut into pieces, no secret comes out of a stream, and nothing else is lost.
func TestStream(t *testing.T) {
	t.Parallel()
	r := New("first-secret-0123", "second-secret")
	for text, want := range map[string]string{
		"":                                    "",
		"nothing to hide, first-secret-012":   "nothing to hide, first-secret-012",
		"a first-secret-0123 b second-secret": "a " + Placeholder + " b " + Placeholder,
		"first-first-secret-0123secon":        "first-" + Placeholder + "secon",
		"“first-secret-0123” ü":               "“" + Placeholder + "” ü",
	} {
		for size := 1; size <= len(text); size++ {
			s := r.Stream()
			var got strings.Builder
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				got.WriteString(s.Next(rest[:n]))
				rest = rest[n:]
			}
			got.WriteString(s.Rest())
			if got.String() != want {
				t.Errorf("%q in pieces of %d: %q, not %q", text, size, got.String(), want)
			}
		}
	}
	none := (*Redactor)(nil).Stream()
	if got := none.Next("text") + none.Rest(); got != "text" {
		t.Errorf("without secrets: %q", got)
	}
}

// What a model writes keeps what merely looks like a key.
func TestKnown(t *testing.T) {
	t.Parallel()
	r := New("first-secret-0123")
	const looks = "sk-ant-REDACTED"
	if got := r.Known(looks + " first-secret-0123"); got != looks+" "+Placeholder {
		t.Errorf("got %q", got)
	}
	for text, want := range map[string]string{
		`{"a":"x"}`: `{"a":"x"}`, `{"a":"first-secret-0123 ` + looks + `"}`: `{"a":"` + Placeholder + ` ` + looks + `"}`,
	} {
		if got := r.KnownJSON(json.RawMessage(text)); string(got) != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
