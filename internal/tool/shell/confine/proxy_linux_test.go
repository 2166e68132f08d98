package confine

import (
	"io"
	"net"
	"strings"
	"testing"
)

// A command without a network reaches what serves its proxy, and nothing else.
func TestACommandReachesItsProxy(t *testing.T) {
	t.Parallel()
	r := testRunner(Options{Network: NetworkAsk})
	found, err := r.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !found.Namespaces {
		t.Skip("this machine has no namespaces")
	}
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	c := room(t)
	served := make(chan string, 3)
	c.Proxy = func(l net.Listener) {
		for {
			conn, err := l.Accept()
			if err != nil {
				served <- "ended"
				return
			}
			_, _ = io.WriteString(conn, "hello from outside\n")
			_ = conn.Close()
		}
	}
	o, out := run(t, r, c, `echo $HTTPS_PROXY $NO_PROXY
exec 3<>/dev/tcp/127.0.0.1/3128 && cat <&3
(exec 4<>/dev/tcp/127.0.0.1/`+port(outside)+`) 2>/dev/null && echo ESCAPED`)
	if !strings.Contains(out, "http://127.0.0.1:3128 localhost,") || !strings.Contains(out, "hello from outside") || strings.Contains(out, "ESCAPED") {
		t.Errorf("exit code %d, output %q", o.ExitCode, out)
	}
	if end := <-served; end != "ended" {
		t.Error(end)
	}
	// A command that ends before its proxy was used, and one that is not started.
	if _, out := run(t, r, c, "echo done"); out != "done\n" {
		t.Errorf("output %q", out)
	}
	c.Dir = "/nowhere"
	c.Text = ":"
	if _, err := r.Run(t.Context(), c); err == nil {
		t.Error("a command ran in a folder that is not there")
	}
}

func port(l net.Listener) string {
	_, p, _ := net.SplitHostPort(l.Addr().String())
	return p
}
