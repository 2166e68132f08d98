package app

import "testing"

// Idle sessions keep at most half of the files open that the process may open.
func TestIdleMax(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ limit, want int }{
		{0, 1024}, {1 << 20, 1024}, {6144, 1024}, {1024, 170}, {5, 1},
	} {
		if got := idleMax(tt.limit); got != tt.want {
			t.Errorf("%d files: got %d, want %d", tt.limit, got, tt.want)
		}
	}
}
