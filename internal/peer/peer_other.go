//go:build !linux

package peer

import "net"

// UID always fails with [ErrUnknown] here.
func UID(net.Conn) (int, error) { return 0, ErrUnknown }
