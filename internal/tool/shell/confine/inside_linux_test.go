package confine

import (
	"context"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lines passes on the lines that a command writes.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		l <- strings.TrimSpace(line)
	}
	return len(p), nil
}

// serving is a command that answers connections on a port with a greeting, one after the
// other, and says when it listens. It listens as sys does, AF_INET or AF_INET6.
func serving(port, family string) string {
	address := map[string]string{"INET": "sockaddr_in(" + port + ", INADDR_LOOPBACK)", "INET6": "sockaddr_in6(" + port + ", IN6ADDR_LOOPBACK)"}[family]
	return `perl -MSocket=:all -e '$| = 1; socket(S, PF_` + family + `, SOCK_STREAM, 0) or die $!; setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1);
bind(S, ` + address + `) or die $!; listen(S, 5); print "listens\n"; while (accept(C, S)) { print C "hello from inside\n"; close C }'`
}

// The network of a command can be entered while it runs, by both addresses of localhost,
// and not afterwards.
func TestInside(t *testing.T) {
	t.Parallel()
	r := testRunner(Options{Network: NetworkNone})
	found, err := r.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !found.OwnNetwork {
		t.Skip("commands have no network of their own on this machine")
	}
	for _, family := range []string{"INET", "INET6"} {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			c, in, said, ended := room(t), &Inside{}, make(lines, 10), make(chan error, 1)
			c.Text, c.Time, c.Said, c.Inside = serving("3000", family), 0, said, in
			served := make(chan string, 1)
			c.Ports = []Port{{Number: 443, Serve: func(l net.Listener) { // a port below 1024, too
				_, err := l.Accept()
				served <- err.Error()
			}}}
			if _, err := in.Dial(ctx, 3000); err == nil {
				t.Error("a command that does not run was entered")
			}
			go func() {
				_, err := r.Run(ctx, c)
				ended <- err
			}()
			if line := <-said; line != "listens" {
				t.Fatal(line)
			}
			if ports, err := in.Listening(); err != nil || !slices.Equal(ports, []uint16{3000}) {
				t.Errorf("the command listens on %v (%v)", ports, err)
			}
			for range 3 {
				conn, err := in.Dial(ctx, 3000)
				if err != nil {
					t.Fatal(err)
				}
				if hello, err := io.ReadAll(conn); string(hello) != "hello from inside\n" || err != nil {
					t.Errorf("it said %q (%v)", hello, err)
				}
				_ = conn.Close()
			}
			if _, err := in.Dial(ctx, 3001); err == nil || !strings.Contains(err.Error(), "refused") {
				t.Errorf("a port where nobody listens: %v", err)
			}
			if _, err := in.Listen(3000); err == nil || !strings.Contains(err.Error(), "in use") {
				t.Errorf("listening twice: %v", err)
			}
			stop()
			if err := <-ended; err != context.Canceled {
				t.Error(err)
			}
			if _, err := in.Dial(t.Context(), 3000); err == nil {
				t.Error("a command that has ended was entered")
			}
			<-served
		})
	}
}

// A port that belay opens while the command runs leads to what belay serves.
func TestListenInside(t *testing.T) {
	t.Parallel()
	r := testRunner(Options{Network: NetworkNone})
	if found, err := r.Report(t.Context()); err != nil || !found.OwnNetwork {
		t.Skip("commands have no network of their own on this machine")
	}
	c, in, said, out := room(t), &Inside{}, make(lines, 10), make(chan Outcome, 1)
	c.Said, c.Inside = said, in
	c.Text = "echo runs; until cat < /dev/tcp/localhost/4000; do sleep 0.05; done 2>/dev/null"
	go func() {
		o, _ := r.Run(t.Context(), c)
		out <- o
	}()
	<-said
	l, err := in.Listen(4000)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, "hello from outside\n")
	_ = conn.Close()
	if o := <-out; o.ExitCode != 0 || !strings.Contains(string(o.Output.Head), "hello from outside") {
		t.Errorf("exit code %d, output %q", o.ExitCode, o.Output.Head)
	}
	if ports, err := in.Listening(); err == nil {
		t.Errorf("a command that has ended listens on %v", ports)
	}
	_ = l.Close()
}

// What a supervisor finds in the table of sockets is what listens.
func TestListeners(t *testing.T) {
	t.Parallel()
	const table = `  sl  local_address rem_address   st tx_queue rx_queue
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000
   1: 0100007F:0BB9 0100007F:1234 01 00000000:00000000
   2: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A
   3: nonsense
   4: a:zz b:0 0A
`
	found := map[uint16]bool{}
	if err := listeners(strings.NewReader(table), found); err != nil || len(found) != 2 || !found[3000] || !found[8080] {
		t.Errorf("%v (%v)", found, err)
	}
	if err := listeners(strings.NewReader(strings.Repeat("a", 1<<20)+strconv.Itoa(1)), found); err == nil {
		t.Error("a line without an end was read")
	}
}
