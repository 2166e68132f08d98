package journal_test

import (
	"errors"
	"io/fs"
	"testing"

	"belay/internal/journal"
)

// The error has the name that people know, not that of the journal's copy.
func TestErrorsNameTheFile(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(s *site) { journal.RefusingNames(s.store) })
	s.fill(map[string]string{"ro/f": "x"})
	err := s.apply(remove("ro/f", "x"))
	if err == nil || err.Error() != "remove ro/f: permission denied" || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
