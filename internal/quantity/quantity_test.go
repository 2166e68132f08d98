package quantity

import (
	"testing"
	"time"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		if got := Count(n, "file", "files"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1 << 10: "1 KiB", 200_000: "195.3 KiB", 10 << 20: "10 MiB", 3 << 29: "1.5 GiB", 5 << 40: "5 TiB", 1 << 60: "1048576 TiB",
	} {
		if got := Size(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 12 * time.Millisecond: "12 ms", 3 * time.Second: "3 s", 1500 * time.Millisecond: "1.5 s",
		42 * time.Second: "42 s", 90 * time.Second: "1 min 30 s", 90 * time.Minute: "1 h 30 min",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%d: got %q, want %q", d, got, want)
		}
	}
}
