// Package peer tells which user of this machine is at the other end of a TCP
// connection. Loopback addresses are open to every user; who serves one user must ask.
package peer

import "errors"

// ErrUnknown says that the system does not tell whose connection it is: the other end
// is on another machine, is closed already, or the system has no way to ask.
var ErrUnknown = errors.New("the user at the other end of the connection is not known")
