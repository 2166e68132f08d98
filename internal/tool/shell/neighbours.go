package shell

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"belay/internal/permit"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/egress"
)

const (
	// maxNeighbours is how many ports of one job other commands reach.
	maxNeighbours = 32
	// lookForPorts is how often the jobs are asked for new ports while a command runs.
	lookForPorts = 250 * time.Millisecond
)

// neighbours are the ports that a command finds at its localhost although they are not its
// own: those of the machine that the person has named, and those of the turn's jobs.
type neighbours struct {
	c      *call
	inside *confine.Inside
	// taken are the ports on which belay listens. Of one that leads to a job, the job is
	// looked for at each connection: it may have been started again.
	taken map[uint16]bool
}

// join adds the neighbours to a command that is run next. The caller calls stop when it
// has ended.
func (c *call) join(ctx context.Context, run *confine.Command) (stop func()) {
	if !c.report.OwnNetwork {
		return func() {}
	}
	n := &neighbours{c: c, taken: map[uint16]bool{confine.ProxyPort: true}}
	for _, port := range c.shell.localPorts {
		if !n.taken[port] {
			n.taken[port] = true
			run.Ports = append(run.Ports, n.forwarded(ctx, port, c.dialLocal(port)))
		}
	}
	if c.environment.Jobs == nil || !c.in.Background && len(c.environment.Jobs.All()) == 0 {
		return func() {}
	}
	if run.Inside == nil {
		run.Inside = &confine.Inside{}
	}
	n.inside = run.Inside
	for port := range n.ports() { // they are there when the command begins
		n.taken[port] = true
		run.Ports = append(run.Ports, n.forwarded(ctx, port, n.dial(port)))
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { n.follow(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// forwarded is a port of the command that leads to what dial connects to.
func (n *neighbours) forwarded(ctx context.Context, port uint16, dial dialer) confine.Port {
	return confine.Port{Number: port, Serve: func(l net.Listener) { egress.Forward(ctx, l, dial) }}
}

type dialer func(context.Context) (net.Conn, error)

// ports are those on which the other jobs listen, each with its job. Of two jobs with the
// same port the older one counts.
func (n *neighbours) ports() map[uint16]*job {
	all := map[uint16]*job{}
	for _, s := range n.c.environment.Jobs.All() {
		j, ok := s.Job.(*job)
		if !ok || !j.Running() || j.work.call == n.c {
			continue
		}
		ports, _ := j.inside.Listening() // one that has just ended listens nowhere
		for _, port := range ports[:min(len(ports), maxNeighbours)] {
			if all[port] == nil {
				all[port] = j
			}
		}
	}
	return all
}

// dial connects to the job that listens on a port.
func (n *neighbours) dial(port uint16) dialer {
	return func(ctx context.Context) (net.Conn, error) {
		j := n.ports()[port]
		if j == nil {
			return nil, fmt.Errorf("no background job listens on port %d", port)
		}
		return j.inside.Dial(ctx, port)
	}
}

// follow opens the ports of jobs that begin to listen while the command runs, until ctx
// ends.
func (n *neighbours) follow(ctx context.Context) {
	var serving sync.WaitGroup
	defer serving.Wait()
	tick := time.NewTicker(lookForPorts)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for port := range n.ports() {
			if n.taken[port] {
				continue
			}
			l, err := n.inside.Listen(port)
			if err != nil { // the command listens there itself, or has ended
				continue
			}
			n.taken[port] = true
			serving.Go(func() {
				defer context.AfterFunc(ctx, func() { _ = l.Close() })() // Forward returns
				egress.Forward(ctx, l, n.dial(port))
			})
		}
	}
}

// dialLocal connects to a port of the machine that the person has named, unless a rule or
// the mode refuses it, and puts that on record, once for the command. Never to a server of
// belay's.
func (c *call) dialLocal(port uint16) dialer {
	number := strconv.Itoa(int(port))
	var mu sync.Mutex
	recorded := false
	admit := func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if c.environment.Network == nil {
			return errors.New("nobody puts it on record")
		}
		e := permit.HostEffect(net.JoinHostPort("localhost", number))
		r := c.environment.Network.Local(e)
		if !recorded {
			if err := c.environment.Network.Record(ctx, e, r); err != nil {
				return err
			}
			recorded = true
		}
		if r.Outcome != permit.Allow {
			return errors.New(r.Reason)
		}
		return nil
	}
	return func(ctx context.Context) (net.Conn, error) {
		if c.shell.isServer(port) {
			return nil, fmt.Errorf("port %d is that of a belay server", port)
		}
		if err := admit(ctx); err != nil {
			return nil, err
		}
		var d net.Dialer
		return d.DialContext(ctx, "tcp", net.JoinHostPort(loopback, number))
	}
}
