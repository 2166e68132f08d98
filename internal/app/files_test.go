package app

import "testing"

// Idle sessions keep at most half of the files open that the process may open.
func TestIdleMax(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ setting, limit, want int }{
		{1024, 0, 1024}, {1024, 1 << 20, 1024}, {1024, 6144, 1024}, {1024, 1024, 170}, {100, 1024, 100}, {1024, 5, 1}, {1, 1 << 20, 1},
	} {
		if got := idleMax(tt.setting, tt.limit); got != tt.want {
			t.Errorf("%d of %d files: got %d, want %d", tt.setting, tt.limit, got, tt.want)
		}
	}
}
