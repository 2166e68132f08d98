//go:build unix

package cli

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// systemd knows that a server stops before the process ends, which may be at once.
func TestTellStopping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	notices := 0
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		done := tellStopping(ctx)
		cancel()
		done()
		// A notice is in the socket when it was sent: none is waited for.
		if err := manager.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 64)
		if n, err := manager.Read(buffer); err == nil && string(buffer[:n]) == "STOPPING=1" {
			notices++
		}
	}
	if notices != 100 {
		t.Errorf("systemd heard of %d of 100 servers that they stop", notices)
	}
}
