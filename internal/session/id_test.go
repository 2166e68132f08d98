package session

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzValidID holds the ids that are let near the disk against the contract's
// expression.
func FuzzValidID(f *testing.F) {
	contract := regexp.MustCompile(`\A[A-Za-z0-9_-]{1,80}\z`)
	for _, id := range []string{
		"", "a", "sess_89754683-661b-4483-916c-67f649f363af", strings.Repeat("Z", 80), strings.Repeat("Z", 81),
		"../x", "a/b", "a.b", "a\x00", "a\n", "é", "@", "[", "`", "{", "/", ":",
	} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if got, want := ValidID(id), contract.MatchString(id); got != want {
			t.Errorf("ValidID(%q) = %v", id, got)
		}
	})
}
