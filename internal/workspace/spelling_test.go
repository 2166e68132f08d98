package workspace

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// However a protected file is spelled, so that some file system takes it for the
// same, no scope lets an agent write it, and what is hidden stays hidden.
func TestNoSpellingGetsAroundAProtection(t *testing.T) {
	t.Parallel()
	protected := []string{
		"_STATUS.md", "a/_STATUS.md", "_CONTEXT.md", "PKG-01_A/1_Working/DEL-01-01_B/Dependencies.csv", "_REFERENCES.md",
		"_A/_LATEST.md", "_A/run_2026-01-01_1200/x.md", ".git/config", ".git/hooks/pre-commit", ".git/HEAD", "belay.yaml",
		".belay/sessions/x", "sub/.belay/x", "Rules/agents/AGENT_X.md", "Régles/x.md",
	}
	project := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := NewScope(ScopeOptions{
			WriteScope: rapid.SampledFrom([]string{"repo-wide", "project-level", "tool-root-only", "workspace-scaffold-only",
				"deliverable-local", "repo-metadata-only", "none"}).Draw(t, "scope"),
			Persona: "WORKING_ITEMS", Project: project, InstructionRoot: project + "/Rules", Private: []string{project + "/Régles"},
		})
		path := rapid.SampledFrom(protected).Draw(t, "path")
		spelled := respell(t, path)
		if err := s.Allows(spelled, rapid.Bool().Draw(t, "exists")); err == nil {
			t.Fatalf("%q, which is %s, may be written", spelled, path)
		}
		if s.Hidden(path) && !s.Hidden(spelled) {
			t.Fatalf("%q, which is %s, is not hidden", spelled, path)
		}
		if s.Protected(path) && !s.Protected(spelled) {
			t.Fatalf("%q, which is %s, is not protected from commands", spelled, path)
		}
	})
}

// respell writes path in another way that leads to the same file on some system.
func respell(t *rapid.T, path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			parts[i] = respellName(t, parts[i])
		}
	}
	separator := rapid.SampledFrom([]string{"/", "/", "//", "/./", "/x/../", "\\"}).Draw(t, "separator")
	return rapid.SampledFrom([]string{"", "./", "x/../"}).Draw(t, "front") + strings.Join(parts, separator)
}

func respellName(t *rapid.T, name string) string {
	switch rapid.IntRange(0, 6).Draw(t, "way") {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return strings.Map(func(r rune) rune {
			if rapid.Bool().Draw(t, "swap") {
				return unicode.SimpleFold(r) // K becomes the Kelvin sign in the end
			}
			return r
		}, name)
	case 2:
		return norm.NFD.String(name)
	case 3:
		return name + rapid.SampledFrom([]string{".", " ", "...", ". ."}).Draw(t, "tail")
	case 4:
		return name + "::$DATA"
	case 5:
		at := rapid.IntRange(0, len([]rune(name))).Draw(t, "at")
		runes := []rune(name)
		invisible := rapid.SampledFrom([]rune{0x200c, 0x200d, 0xfeff, 0x00ad, 0xfe0f, 0x2060}).Draw(t, "invisible")
		return string(runes[:at]) + string(invisible) + string(runes[at:])
	}
	return name
}

func TestShortNames(t *testing.T) {
	t.Parallel()
	s := NewScope(ScopeOptions{WriteScope: "repo-wide", Project: t.TempDir()})
	for path, want := range map[string]bool{
		"GIT~1/config": false, "a/_STATU~1.MD": false, "DEPEND~2.CSV": false, "BELAY~1/x": false,
		"notes~1.md": true, "a~b.md": true, "~": true, "_status~.md": true,
	} {
		if got := s.Allows(path, true) == nil; got != want {
			t.Errorf("%s may be written: %v, want %v", path, got, want)
		}
	}
	if !s.Hidden("belay~1/sessions") {
		t.Error("the short name of .belay is not hidden")
	}
}

func BenchmarkHidden(b *testing.B) {
	s := NewScope(ScopeOptions{WriteScope: "repo-wide", Project: b.TempDir()})
	for b.Loop() {
		s.Hidden("src/internal/deep/folder/file_name.go")
	}
}
