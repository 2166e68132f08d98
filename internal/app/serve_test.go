package app

import "testing"

func TestReachable(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"[::]:80": "127.0.0.1:80", "0.0.0.0:81": "127.0.0.1:81", "[::1]:82": "[::1]:82", "192.0.2.1:83": "192.0.2.1:83",
	} {
		if got := reachable(addr); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
}
