package confine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// proxyPort is the port of the command's own loopback interface on which it finds the
// proxy. Nothing else is there when the command starts.
const proxyPort = 3128

// proxyVariables tell programs of their proxy. Some know only one way to write them.
var proxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}

// proxied is an environment with belay's proxy in place of any other. What a command
// serves to itself needs none.
func proxied(env []string) []string {
	others := append([]string{"ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"}, proxyVariables...)
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(others, name)
	})
	for _, name := range proxyVariables {
		env = append(env, name+"=http://127.0.0.1:"+strconv.Itoa(proxyPort))
	}
	const local = "localhost,127.0.0.1,::1"
	// Node.js looks at these variables only when it is told to.
	return append(env, "NO_PROXY="+local, "no_proxy="+local, "NODE_USE_ENV_PROXY=1")
}

// proxy serves the listener that a keeper sends.
type proxy struct {
	socket *net.UnixConn
	// listener gets what the keeper sent, nil where it sent none; ended is closed when
	// it is served no more.
	listener chan net.Listener
	ended    chan struct{}
}

// newProxy returns a proxy, and the keeper's end of its socket.
func newProxy(serve func(net.Listener)) (*proxy, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a socket pair: %w", err)
	}
	own, theirs := os.NewFile(uintptr(fds[0]), "proxy"), os.NewFile(uintptr(fds[1]), "proxy")
	conn, err := net.FileConn(own)
	err = errors.Join(err, own.Close())
	socket, ok := conn.(*net.UnixConn)
	if err != nil || !ok {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	p := &proxy{socket: socket, listener: make(chan net.Listener, 1), ended: make(chan struct{})}
	go p.run(serve)
	return p, theirs, nil
}

func (p *proxy) run(serve func(net.Listener)) {
	defer close(p.ended)
	l, err := p.receive()
	if err != nil {
		p.listener <- nil // the keeper's answer says what went wrong
		return
	}
	p.listener <- l
	serve(l)
}

// receive takes the listener from the keeper.
func (p *proxy) receive() (net.Listener, error) {
	space := make([]byte, unix.CmsgSpace(4))
	var one [1]byte
	_, n, _, _, err := p.socket.ReadMsgUnix(one[:], space)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(space[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(err, errors.New("the keeper sent no socket"))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(err, errors.New("the keeper sent no socket"))
	}
	f := os.NewFile(uintptr(fds[0]), "listener")
	l, err := net.FileListener(f)
	return l, errors.Join(err, f.Close())
}

// stop ends the proxy and waits for that. Nil has ended.
func (p *proxy) stop() {
	if p == nil {
		return
	}
	_ = p.socket.Close() // nothing more comes through it
	if l := <-p.listener; l != nil {
		_ = l.Close() // serve returns
	}
	<-p.ended
}
