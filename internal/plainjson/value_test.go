package plainjson

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"1000000": int64(1000000), "-9223372036854775808": int64(-1 << 63), "0.1": 0.1, "1e3": 1000.0, "12345678901234567890.0": 12345678901234567890.0, // measures
		"100000000000000000000": 1e20, "18446744073709551616": float64(1 << 64), // both are exact
		`{"a": [1, 2.5, null, "x"]}`: map[string]any{"a": []any{int64(1), 2.5, nil, "x"}},
	} {
		got, err := Value([]byte(text))
		if err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s is %v (%T), %v", text, got, got, err)
		}
	}
	for _, text := range []string{"9223372036854775809", "-9223372036854775809", `{"a": [{"b": 12345678901234567890}]}`, "1e400", "-1e400", strings.Repeat("9", 500)} {
		got, err := Value([]byte(text))
		if inexact := (*InexactError)(nil); !errors.As(err, &inexact) || len(err.Error()) > 200 {
			t.Errorf("%.40s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1 2", "{", "nul"} {
		if got, err := Value([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
