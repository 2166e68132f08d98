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

// The output of a program comes out of a stream as it would come out of a whole text, however it
// is cut: without known secrets, and without what looks like a key.
func TestOutputStream(t *testing.T) {
	t.Parallel()
	r := New("first-secret-0123", "second-secret")
	key := "sk-" + "ant-" + strings.Repeat("a1", 20)
	for _, text := range []string{
		"", "nothing to hide\n", "a first-secret-0123 b second-secret\n", "first-first-secret-0123secon",
		"export KEY=" + key + "\nnext", key, key + " " + key, "x" + key, "ask-ant-one of us",
		"Authorization: Bearer " + strings.Repeat("ab.", 10) + "\r\nx", "Bearer  \t", "bearer short", "B", "the last is s",
		"gh" + "p_" + strings.Repeat("Z9", 18) + ", ghost, github_pat", "github_" + "pat_" + strings.Repeat("q_", 20) + ".", "xox" + "b-1234567890-abc é",
		"AKI" + "A" + strings.Repeat("Q", 16) + " AKI", "AKI" + "A" + strings.Repeat("Q", 17), "AIz" + "a" + strings.Repeat("x", 40) + "\n",
		"Bearer " + "first-secret-0123",
	} {
		want := r.String(text)
		for size := 1; size <= max(1, len(text)); size++ {
			if got := inPieces(r.OutputStream(), text, size); got != want {
				t.Errorf("%q in pieces of %d: %q, not %q", text, size, got, want)
			}
		}
	}
	if got := inPieces((*Redactor)(nil).OutputStream(), "a "+key, 3); got != "a "+Placeholder {
		t.Errorf("without known secrets: %q", got)
	}
}

// What looks like a key and has no end holds nothing up for ever, and does not come out either.
func TestOutputStreamOfAnEndlessKey(t *testing.T) {
	t.Parallel()
	key := "sk-" + "ant-" + strings.Repeat("k", 50_000)
	for _, size := range []int{97, 4096, 100_000} {
		s := New("first-secret-0123").OutputStream()
		if got := inPieces(s, "a "+key+" b", size); got != "a "+Placeholder+" b" {
			t.Errorf("in pieces of %d: %d bytes, %.100q", size, len(got), got)
		}
	}
	s := New("first-secret-0123").OutputStream()
	if got := s.Next(strings.Repeat("k", 100_000)); len(got) != 100_000 {
		t.Errorf("of a word without an end %d bytes come out", len(got))
	}
}

func inPieces(s *Stream, text string, size int) string {
	var got strings.Builder
	for rest := text; rest != ""; {
		n := min(size, len(rest))
		got.WriteString(s.Next(rest[:n]))
		rest = rest[n:]
	}
	return got.String() + s.Rest()
}
