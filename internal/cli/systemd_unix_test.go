//go:build unix

package cli

import (
	"context"
	"net"
	"path/filepath"
	"syscall"
	"testing"
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
		for notice(t, manager) == "STOPPING=1" {
			notices++
		}
	}
	if notices != 100 {
		t.Errorf("systemd heard %d times that one of 100 servers stops", notices)
	}
	tellStopping(t.Context())() // it ends by itself
	if got := notice(t, manager); got != "STOPPING=1" {
		t.Errorf("systemd heard %q", got)
	}
}

// notice is what waits in the socket, "" where nothing does.
func notice(t *testing.T, manager *net.UnixConn) string {
	t.Helper()
	raw, err := manager.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	buffer, n := make([]byte, 64), 0
	if err := raw.Read(func(fd uintptr) bool {
		n, _, _ = syscall.Recvfrom(int(fd), buffer, syscall.MSG_DONTWAIT)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return string(buffer[:max(n, 0)])
}
