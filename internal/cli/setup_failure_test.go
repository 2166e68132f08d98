package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"belay/internal/config"
	"belay/internal/model"
)

// The time that a test call had is named where it is over, not where the provider waits for less.
func TestTimeoutsOfATestCall(t *testing.T) {
	t.Parallel()
	late, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-late.Done()
	own := model.Failure("anthropic", 504, model.RequestTimeout, "the provider did not begin its answer in time").Because(context.DeadlineExceeded)
	for ctx, says := range map[context.Context]string{late: "m did not answer within 2 min", t.Context(): "did not begin its answer in time"} {
		err := tryFailure(ctx, &console{}, &config.Config{Provider: "anthropic"}, &setupDone{Model: "m"}, own)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}
