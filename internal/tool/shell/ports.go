package shell

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"

	"belay/internal/peer"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/egress"
)

// openPorts are ports of this machine's loopback that lead to those of a job.
type openPorts struct {
	all     []openPort
	cancel  context.CancelFunc
	serving sync.WaitGroup
}

type openPort struct {
	port     uint16
	listener net.Listener
}

// openPorts opens the ports that the call asks for: the same number where it is free,
// another one elsewhere. Each is on record before anybody can use it.
func (c *call) openPorts(ctx context.Context, job string) (_ *openPorts, err error) {
	o := &openPorts{}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.close())
		}
	}()
	for _, port := range c.in.Ports {
		var config net.ListenConfig
		l, err := config.Listen(ctx, "tcp", net.JoinHostPort(opened, strconv.Itoa(int(port))))
		if err != nil {
			l, err = config.Listen(ctx, "tcp", net.JoinHostPort(opened, "0"))
		}
		if err != nil {
			return o, tool.Refuse("port %d could not be opened: %v", port, err).Because(err)
		}
		o.all = append(o.all, openPort{port, l})
		if c.environment.Network == nil {
			continue
		}
		e := permit.Effect{Tool: permit.PortsTool, Kind: permit.Network, Summary: fmt.Sprintf("%s leads to port %d of %s", l.Addr(), port, job)}
		if err := c.environment.Network.Record(ctx, e, permit.Ruling{Outcome: permit.Allow, Reason: "the job was allowed to"}); err != nil {
			return o, err
		}
	}
	return o, nil
}

// loopback is where the ports of the machine are that commands may reach.
const loopback = "127.0.0.1"

// opened is the loopback address where ports of jobs are opened. Browsers send cookies to
// every port of a host name: those of belay's own page are for 127.0.0.1 or localhost,
// and no job is to see them.
const opened = "127.0.0.2"

// serve forwards connections to the job until ctx ends.
func (o *openPorts) serve(ctx context.Context, in *confine.Inside) {
	ctx, o.cancel = context.WithCancel(ctx)
	for _, p := range o.all {
		o.serving.Go(func() {
			egress.Forward(ctx, ownUser{p.listener}, func(ctx context.Context) (net.Conn, error) { return in.Dial(ctx, p.port) })
		})
	}
}

// close closes the ports and ends their connections.
func (o *openPorts) close() (err error) {
	if o.cancel != nil {
		o.cancel()
	}
	for _, p := range o.all {
		err = errors.Join(err, p.listener.Close())
	}
	o.serving.Wait()
	return err
}

// url is where a person opens the port.
func (p openPort) url() string { return "http://" + p.listener.Addr().String() }

// lines say where the ports are found.
func (o *openPorts) lines() (lines []string) {
	for _, p := range o.all {
		lines = append(lines, fmt.Sprintf("%s on the person's machine leads to its port %d", p.url(), p.port))
	}
	return lines
}

// notices are the same for people.
func (o *openPorts) notices(j *job) (all []string) {
	for _, p := range o.all {
		all = append(all, fmt.Sprintf("%s leads to port %d of %s (%s) until it ends", p.url(), p.port, j.id, j.Line()))
	}
	return all
}

// ownUser is a listener that takes connections of this process's user only. Other users
// of the machine reach nothing through it.
type ownUser struct{ net.Listener }

// Accept implements [net.Listener].
func (l ownUser) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, err := peer.UID(conn); err == nil && uid == os.Getuid() {
			return conn, nil
		}
		_ = conn.Close() // another user gets no answer
	}
}
