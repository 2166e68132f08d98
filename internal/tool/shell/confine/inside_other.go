//go:build !linux

package confine

import (
	"context"
	"net"
)

// Terminate asks the command to end. Only Linux can.
func (*Inside) Terminate() error { return ErrNotInside }

// Dial connects to a TCP port of the command's loopback interface. Only Linux can.
func (*Inside) Dial(context.Context, uint16) (net.Conn, error) { return nil, ErrNotInside }

// Listening are the TCP ports on which the command listens. Only Linux tells.
func (*Inside) Listening() ([]uint16, error) { return nil, ErrNotInside }

// Listen listens on a TCP port of the command's loopback interface. Only Linux can.
func (*Inside) Listen(uint16) (net.Listener, error) { return nil, ErrNotInside }
