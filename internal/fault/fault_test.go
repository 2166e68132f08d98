package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// What the machine lacks is said, with the next step and without the path. Any other
// error that nobody classified stays in the log.
func TestFrom(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]Type{
		syscall.ENOSPC:    StorageFailure,
		syscall.EMFILE:    StorageFailure,
		syscall.EROFS:     StorageFailure,
		syscall.ENOTEMPTY: SDKFailure,
	} {
		f := From(fmt.Errorf("write it: %w", &fs.PathError{Op: "write", Path: "/secret", Err: err}))
		if f.Type != want || f.Status != want.Status() || strings.Contains(f.Message+f.NextStep(), "secret") {
			t.Errorf("%v became %+v", err, f)
		}
		if want == StorageFailure && f.NextStep() == "" || !errors.Is(f, err) {
			t.Errorf("%v became %+v", err, f)
		}
	}
	// What the machine lacks is the next step of every error that has none of its own.
	full := fmt.Errorf("write it: %w", syscall.ENOSPC)
	if step := New(StorageFailure, "not kept").Because(full).NextStep(); step != From(full).NextStep() {
		t.Errorf("the next step is %q", step)
	}
	if step := New(StorageFailure, "not kept").Because(full).WithHint("sweep").NextStep(); step != "sweep" {
		t.Errorf("the next step is %q", step)
	}
	if f := From(New(NotFound, "gone").Because(syscall.ENOSPC)); f.Type != NotFound {
		t.Errorf("a classified error became %+v", f)
	}
}
