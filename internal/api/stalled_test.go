package api

import (
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// stalled is a body whose client sends nothing more.
type stalled struct{ reads int }

func (s *stalled) Read([]byte) (int, error) {
	s.reads++
	return 0, os.ErrDeadlineExceeded
}

// A stalled upload costs one BodyTimeout. The engine and net/http both try to
// read on after the first failure; neither may wait again.
func TestStalledUploadWaitsOnce(t *testing.T) {
	t.Parallel()
	body := &stalled{}
	slow := &pacedReader{src: body, w: newResponse(httptest.NewRecorder(), time.Minute), pace: time.Hour}
	for range 3 {
		if _, err := slow.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
	}
	if body.reads != 1 {
		t.Errorf("the client was waited for %d times", body.reads)
	}
	if err := slow.or(io.ErrUnexpectedEOF); err.Error() != tooSlow(time.Hour).Error() {
		t.Error(err)
	}
}
