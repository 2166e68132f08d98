package config

import (
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "1048576": 1 << 20, "10MiB": 10 << 20, "18 MB": 18e6, "18mb": 18e6, " 1.5 GiB ": 3 << 29, "7B": 7, "0.5KiB": 512,
		"1TiB": 1 << 40, "9223372036854775807": 1<<63 - 1, "007": 7,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " ", "MiB", "-1", "+1", "10M", "10 K", "1.5", "0.1KiB", "1e3", "1,000", "1_000", "0x10", "9223372036854775808", "99999999TiB",
		"1..5KiB", ".", "1 MiB x", "1Mi B", "½MiB", "١KiB", "1/2KiB", "inf", "NaN",
	} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"0": 0, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "30d": 30 * day, "1.5h": 90 * time.Minute, "0d": 0, "35ms": 35 * time.Millisecond,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "-1s", "1.5d", "d", "-1d", "1d12h", "200000d", "9999999999h", "soon"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}

// A size is written in the largest unit that is exact, as people would.
func TestFormatSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 7: "7", 1000: "1kB", 1024: "1KiB", 2e9: "2GB", 2 << 30: "2GiB", 18e6: "18MB", 1500: "1500", 1000 << 20: "1000MiB", 1 << 40: "1TiB", 3e12: "3TB",
	} {
		if got := FormatSize(n); got != want {
			t.Errorf("FormatSize(%d) = %q, want %q", n, got, want)
		}
	}
}

// What is accepted is in range, and its normal form means the same and is normal.
func FuzzSize(f *testing.F) {
	for _, s := range []string{"10MiB", "18 MB", "1.5GiB", "0", "9223372036854775807", "1e9", "0.000001TB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseSize(text)
		if err != nil {
			return
		}
		normal := FormatSize(n)
		if back, err := ParseSize(normal); n < 0 || err != nil || back != n || FormatSize(back) != normal {
			t.Fatalf("%q is %d, written %q, read back %d, %v", text, n, normal, back, err)
		}
	})
}

func FuzzDuration(f *testing.F) {
	for _, s := range []string{"90s", "1h0m", "30d", "0", "1ns", "25h", "106751d", "1h0m0.5s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		if err != nil {
			return
		}
		normal := FormatDuration(d)
		if back, err := ParseDuration(normal); d < 0 || err != nil || back != d {
			t.Fatalf("%q is %v, written %q, read back %v, %v", text, d, normal, back, err)
		}
	})
}
