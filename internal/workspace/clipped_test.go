package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/durable/durabletest"
	"belay/internal/fault"
)

// No refusal repeats more than 200 bytes of a path, whichever rule it breaks and however many
// bytes its characters have.
func TestRefusedPathsAreClipped(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	deep := filepath.Join(top, strings.Repeat("😀", 50), strings.Repeat("x", 200), strings.Repeat("é", 100))
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(deep, 0o555); err != nil { //nolint:gosec // for the user that is nobody
		t.Fatal(err)
	}
	for _, dir := range []string{top, filepath.Dir(top)} { // the way there is open to all
		if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // as above
			t.Fatal(err)
		}
	}
	refused := map[string]func() error{
		"cannot be written to": func() (err error) {
			durabletest.AsNobody(t, func() { _, err = CheckRoot(deep, "") })
			return err
		},
		"is inside the instruction root": func() error { _, err := CheckRoot(deep, deep); return err },
		"in a private folder":            func() error { _, err := CheckProject(deep, deep); return err },
		"does not exist":                 func() error { _, err := CheckProject(filepath.Join(deep, "none")); return err },
		"control character":              func() error { _, err := CheckPath("path", deep+"\n"); return err },
		"must be an absolute path":       func() error { _, err := CheckRoot(deep[1:], ""); return err },
		"outside projectRoot":            func() error { _, err := FindDeliverable(top, filepath.Dir(top)+deep); return err },
		"inside the instruction":         func() error { _, err := CheckNewRoot("executionRoot", deep, top); return err },
	}
	for why, refuse := range refused {
		err := refuse()
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
			continue
		}
		f := fault.From(err)
		for key, value := range f.Details {
			if s, ok := value.(string); ok && len(strings.TrimSuffix(s, "…")) > 200 && key != "instructionRoot" {
				t.Errorf("%s: %d bytes of %s", why, len(s), key)
			}
		}
		if len(f.Message) > 200 {
			t.Errorf("%s: %s", why, f.Message)
		}
	}
}
