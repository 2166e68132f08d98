package tool

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPagesThatCoverAFileMakeItSeen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 20).Draw(t, "total")
		shown := make([]bool, total)
		var s Seen
		for range rapid.IntRange(1, 12).Draw(t, "pages") {
			first := rapid.IntRange(1, total).Draw(t, "first")
			last := rapid.IntRange(first, total).Draw(t, "last")
			s.NoteLines("f", "sha", first, last, total)
			all := true
			for i := range shown {
				shown[i] = shown[i] || first <= i+1 && i+1 <= last
				all = all && shown[i]
			}
			if got := s.SHA256("f") != ""; got != all {
				t.Fatalf("seen as a whole: %v, want %v", got, all)
			}
			if s.Last("f") != "sha" {
				t.Fatal("what was shown in part is not remembered")
			}
		}
		s.NoteLines("f", "other", 1, 1, 2)
		if s.SHA256("f") != "" || s.Last("f") != "other" {
			t.Fatal("pages of another content count")
		}
	})
}

func TestSeenForgets(t *testing.T) {
	t.Parallel()
	var s Seen
	if s.SHA256("f") != "" || s.Last("f") != "" {
		t.Error("what was never shown is seen")
	}
	s.Note("f", "sha")
	if s.SHA256("f") != "sha" || s.SHA256("g") != "" {
		t.Error("what was shown is not seen")
	}
	s.Forget("f")
	if s.SHA256("f") != "" {
		t.Error("what was forgotten is seen")
	}
}
