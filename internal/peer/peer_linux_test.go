package peer_test

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"belay/internal/peer"
)

// roleVar makes the test's program a client of the address that it holds.
const roleVar = "BELAY_TEST_CONNECT"

func TestMain(m *testing.M) {
	if address := os.Getenv(roleVar); address != "" {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			os.Exit(1)
		}
		_, _ = io.Copy(io.Discard, conn) // until the server closes it
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Who connects over a loopback address is known by the user that it runs as, whichever
// kind of socket either end has.
func TestUID(t *testing.T) {
	t.Parallel()
	for _, listen := range []string{"127.0.0.1:0", "[::1]:0", "[::]:0"} {
		l, err := net.Listen("tcp", listen)
		if err != nil {
			t.Logf("%s: %v", listen, err) // a machine without IPv6
			continue
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		must(t, err)
		host := "127.0.0.1"
		if listen == "[::1]:0" {
			host = "::1"
		}
		users := []int{os.Geteuid()}
		if os.Geteuid() == 0 {
			users = append(users, 65534)
		}
		for _, uid := range users {
			cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
			cmd.Env = append(os.Environ(), roleVar+"="+net.JoinHostPort(host, port))
			if uid != os.Geteuid() {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
			}
			must(t, cmd.Start())
			conn, err := l.Accept()
			must(t, err)
			if got, err := peer.UID(conn); err != nil || got != uid {
				t.Errorf("%s: the user at the other end is %d (%v), not %d", listen, got, err, uid)
			}
			must(t, conn.Close())
			must(t, cmd.Wait())
		}
		must(t, l.Close())
	}
}

// A connection whose other end is closed belongs to nobody, and never to root.
//
// The test runs alone: a program that another test starts holds a copy of every socket
// for a moment, between fork and exec.
func TestClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	client, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	conn, err := l.Accept()
	must(t, err)
	must(t, client.Close())
	if uid, err := peer.UID(conn); !errors.Is(err, peer.ErrUnknown) {
		t.Errorf("a closed connection is of user %d, %v", uid, err)
	}
	must(t, conn.Close())
	must(t, l.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
