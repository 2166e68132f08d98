package bus

import (
	"testing"

	"go.uber.org/goleak"
)

// The client of NATS may leave a goroutine behind when it has stored an object: the one that
// follows the state of the connection does not end if it starts after the object is stored.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}
