package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/redact"
)

// encodings are the ways in which a secret gets into a text. Each returns the
// text and the part of it that must not survive.
var encodings = map[string]func(t *rapid.T, secret string) (text, leak string){
	"raw":           whole(func(s string) string { return s }),
	"query":         whole(url.QueryEscape),
	"path":          whole(url.PathEscape),
	"percent20":     whole(func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }),
	"lower percent": whole(func(s string) string { return lower(url.QueryEscape(s)) }),
	"twice":         whole(func(s string) string { return url.QueryEscape(url.QueryEscape(s)) }),
	"twice lower":   whole(func(s string) string { return lower(url.QueryEscape(lower(url.QueryEscape(s)))) }),
	"twice path":    whole(func(s string) string { return url.PathEscape(url.PathEscape(s)) }),
	"hex":           whole(func(s string) string { return hex.EncodeToString([]byte(s)) }),
	"HEX":           whole(func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }),
	"json":          whole(inJSON),
	"go quoted":     whole(func(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] }),
	"base64":        within(base64.StdEncoding),
	"base64 raw":    within(base64.RawStdEncoding),
	"base64 url":    within(base64.URLEncoding),
	"base64 rawurl": within(base64.RawURLEncoding),
}

func whole(encode func(string) string) func(*rapid.T, string) (string, string) {
	return func(t *rapid.T, secret string) (string, string) {
		e := encode(secret)
		return filler(t, "before") + e + filler(t, "after"), e
	}
}

// within encodes a longer text that holds the secret at any alignment. What
// must not survive is what decodes to the secret's inner bytes.
func within(enc *base64.Encoding) func(*rapid.T, string) (string, string) {
	return func(t *rapid.T, secret string) (string, string) {
		before, after := filler(t, "before"), filler(t, "after")
		text := enc.EncodeToString([]byte(before + secret + after))
		from, to := (8*len(before)+5)/6, 8*(len(before)+len(secret))/6
		return text, text[from:to]
	}
}

// filler is text that cannot complete a secret: secrets have other characters.
func filler(t *rapid.T, label string) string {
	return rapid.StringOfN(rapid.RuneFrom([]rune(" .,;:éü")), 0, 7, -1).Draw(t, label)
}

func lower(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
		}
	}
	return string(b)
}

func inJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b[1 : len(b)-1])
}

func secrets() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune(`abcXYZ019-_/+=&<>"\%$!~*'()[]{}`)), 8, 40, -1)
}

// Covers: workspace 9.8
func TestNoEncodingOfASecretSurvives(t *testing.T) {
	t.Parallel()
	for name, encode := range encodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				secret := secrets().Draw(t, "secret")
				others := rapid.SliceOfN(secrets(), 0, 3).Draw(t, "others")
				text, leak := encode(t, secret)
				got := redact.New(append(others, secret)...).String(text)
				if strings.Contains(got, leak) || strings.Contains(got, secret) {
					t.Fatalf("%q still holds %q: %q", text, leak, got)
				}
			})
		})
	}
}

func TestOverlappingSecretsLeaveNothing(t *testing.T) {
	t.Parallel()
	r := redact.New("abcdefgh", "efghijklmnop", "key-key-key")
	tests := map[string]string{
		"x abcdefghijklmnop y":  "x [redacted] y",
		"abcdefgh,efghijklmnop": "[redacted],[redacted]",
		"key-key-key-key":       "[redacted]",
		"nothing here":          "nothing here",
	}
	for in, want := range tests {
		if got := r.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestASecretInThePlaceholder(t *testing.T) {
	t.Parallel()
	if got := redact.New("redacted").String("my key is redacted!"); strings.Contains(got, "redacted") {
		t.Errorf("the placeholder repeats the secret: %q", got)
	}
}

func TestShortAndBlankValuesAreNoSecrets(t *testing.T) {
	t.Parallel()
	r := redact.New("", "  ", "abc", "12345 ")
	for _, s := range []string{"abc 12345 xyz", ""} {
		if got := r.String(s); got != s {
			t.Errorf("String(%q) = %q", s, got)
		}
	}
	if got := redact.New(" sixsix\n").String("a sixsix b"); got != "a [redacted] b" {
		t.Errorf("a value with white space around it: %q", got)
	}
}

func TestKeysThatNobodyToldUsOf(t *testing.T) {
	t.Parallel()
	var unknown *redact.Redactor
	tests := map[string]string{
		"key sk-ant-api03-AbC_123-xyz.":                   "key [redacted].",
		"Authorization: Bearer abc.def-123_456":           "Authorization: Bearer [redacted]",
		"ghp_0123456789abcdefghijKLMN":                    "[redacted]",
		"AKIAABCDEFGHIJKLMNOP":                            "[redacted]",
		"task-ant and risk-free, the bearer of bad news":  "task-ant and risk-free, the bearer of bad news",
		"a sketch, desk-bound; sk-short":                  "a sketch, desk-bound; sk-short",
		`{"x-api-key":"sk-ant-api03-0123456789abcdef"}`:   `{"x-api-key":"[redacted]"}`,
		"sk-0123456789abcdefghijABCDEFGHIJ and the rest.": "[redacted] and the rest.",
	}
	for in, want := range tests {
		if got := unknown.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	r := redact.New("topsecret")
	if r.Error(nil) != nil {
		t.Error("nil is no error")
	}
	plain := errors.New("plain")
	if got := r.Error(plain); got != plain {
		t.Error("an error without secrets was wrapped")
	}
	err := r.Error(fmt.Errorf("topsecret: %w", fs.ErrNotExist))
	if err.Error() != "[redacted]: file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	r := redact.New("topsecret")
	in := map[string]any{
		"n": 1.5, "s": "a topsecret", "topsecret": true,
		"list": []any{"topsecret", nil, map[string]string{"k": "topsecret"}},
		"raw":  json.RawMessage(`{"a":"topsecret","b":1}`),
		"args": []string{"--key", "topsecret"},
		"err":  errors.New("topsecret!"),
	}
	want := map[string]any{
		"n": 1.5, "s": "a [redacted]", "[redacted]": true,
		"list": []any{"[redacted]", nil, map[string]string{"k": "[redacted]"}},
		"raw":  json.RawMessage(`{"a":"[redacted]","b":1}`),
		"args": []string{"--key", "[redacted]"},
		"err":  "[redacted]!",
	}
	if diff := cmp.Diff(want, r.Value(in)); diff != "" {
		t.Errorf("value (-want +got):\n%s", diff)
	}
}

func TestRawJSONStaysJSON(t *testing.T) {
	t.Parallel()
	// The secret's text reaches over the quotes of the document.
	r := redact.New(`","b":"`)
	got, ok := r.Value(json.RawMessage(`{"a":"x","b":"y","c":"p && <q>"}`)).(json.RawMessage)
	if !ok || !json.Valid(got) {
		t.Errorf("not JSON any more: %s", got)
	}
	if want := `"p && <q>"`; !strings.Contains(string(got), want) {
		t.Errorf("%s, want %s as it was", got, want)
	}
}

func TestSeveralSecrets(t *testing.T) {
	t.Parallel()
	r := redact.New("first-secret", "second-secret")
	if got := r.String("first-secret second-secret"); got != "[redacted] [redacted]" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkStringWithoutSecrets(b *testing.B) {
	r := redact.New("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", "another-secret-value")
	text := strings.Repeat("the quick brown fox jumps over the lazy dog. ", 100)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r.String(text)
	}
}
