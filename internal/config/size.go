package config

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

var sizeUnits = map[string]int64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// ParseSize reads a number of bytes: "1048576", "10MiB", "18 MB", "1.5 GiB".
// Units are decimal (kB, MB, GB, TB) or binary (KiB, MiB, GiB, TiB), in any case.
// A bare K, M or G is refused, because people mean both by it. The result is a
// whole number of bytes, not negative.
func ParseSize(s string) (int64, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, ok := sizeUnits[strings.ToLower(s[len(digits):])]
	if !ok {
		return 0, fmt.Errorf("%q is no unit of size; write kB, MB, GB (1000) or KiB, MiB, GiB (1024)", s[len(digits):])
	}
	digits = strings.TrimSpace(digits)
	if len(digits) == 0 || len(digits) > 24 || strings.Trim(digits, "0123456789.") != "" {
		return 0, errors.New(`is not a size; write for example "10MiB" or 10485760`)
	}
	n, ok := new(big.Rat).SetString(digits)
	if !ok {
		return 0, errors.New(`is not a size; write for example "10MiB" or 10485760`)
	}
	n.Mul(n, new(big.Rat).SetInt64(unit))
	if !n.IsInt() {
		return 0, errors.New("is not a whole number of bytes")
	}
	if !n.Num().IsInt64() {
		return 0, errors.New("is too large")
	}
	return n.Num().Int64(), nil
}

// FormatSize writes n in the largest unit, binary or decimal, that gives a whole
// number. ParseSize reads it back as the same n.
func FormatSize(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

const day = 24 * time.Hour

// ParseDuration reads a duration in Go's syntax ("1m30s", "500ms", "0") or in
// whole days ("30d"). It is not negative.
func ParseDuration(s string) (time.Duration, error) {
	s = strings.TrimSpace(s)
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok && err != nil {
		n, err2 := strconv.ParseInt(days, 10, 64)
		if err2 == nil && n >= 0 && n <= int64((1<<63-1)/day) {
			return time.Duration(n) * day, nil
		}
	}
	if err != nil {
		return 0, errors.New(`is not a duration; write for example "90s", "1m30s" or "30d"`)
	}
	if d < 0 {
		return 0, errors.New("is negative")
	}
	return d, nil
}

// FormatDuration is the reverse of ParseDuration, as people write it: "90s",
// "10m", "30d", "0".
func FormatDuration(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d > 0 && d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	case d > 0 && d < 2*time.Minute && d%time.Second == 0:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	// Go writes zeros that nobody does: 10m0s, 1h0m0s.
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
