package test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// manager is the part of systemd that a service meets: it opens the socket, passes it on,
// and hears what the service says of itself.
type manager struct {
	t      *testing.T
	socket *net.TCPListener
	said   *net.UnixConn
}

func newManager(t *testing.T, addr string) *manager {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	must(t, err)
	said, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"})
	must(t, err)
	t.Cleanup(func() { _, _ = ln.Close(), said.Close() })
	return &manager{t: t, socket: ln.(*net.TCPListener), said: said}
}

// command is belay serve as systemd starts it: LISTEN_PID is the process itself.
func (m *manager) command(p *place, args ...string) *exec.Cmd {
	m.t.Helper()
	serve := p.command(append([]string{"serve"}, args...)...)
	cmd := exec.Command("/bin/sh", append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, serve.Path}, serve.Args[1:]...)...)
	file, err := m.socket.File()
	must(m.t, err)
	m.t.Cleanup(func() { _ = file.Close() })
	cmd.Dir, cmd.ExtraFiles = serve.Dir, []*os.File{file}
	cmd.Env = append(serve.Env, "LISTEN_FDS=1", "NOTIFY_SOCKET="+m.said.LocalAddr().String())
	return cmd
}

// hears waits for the next notice.
func (m *manager) hears(want string) {
	m.t.Helper()
	must(m.t, m.said.SetReadDeadline(time.Now().Add(patience)))
	notice := make([]byte, 4096)
	n, err := m.said.Read(notice)
	must(m.t, err)
	if got := string(notice[:n]); got != want {
		m.t.Errorf("the service said %q, want %q", got, want)
	}
}

// A server under systemd takes the socket that was opened for it, says when it answers,
// and says when it stops.
func TestUnderSystemd(t *testing.T) {
	t.Parallel()
	m := newManager(t, "127.0.0.1:0")
	p := newPlace(t)
	s := p.begin(m.command(p))
	m.hears("READY=1")
	if want := "http://" + m.socket.Addr().String(); s.url != want {
		t.Errorf("the server answers at %s, want the socket's %s", s.url, want)
	}
	if status, body := s.do("GET", "/healthz", ""); status != 200 {
		t.Errorf("over the socket: %d %s", status, body)
	}
	s.stop()
	m.hears("STOPPING=1")
}

// A socket that other machines reach needs a token, whatever addr says.
func TestAnOpenSocketNeedsAToken(t *testing.T) {
	t.Parallel()
	m := newManager(t, "0.0.0.0:0")
	out, err := m.command(newPlace(t), "--addr", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "takes a token") {
		t.Errorf("a server on an open socket without a token: %v\n%s", err, out)
	}
}
