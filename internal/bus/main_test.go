package bus

import (
	"testing"

	"go.uber.org/goleak"
)

// The client of NATS leaves a goroutine behind where the connection is closed just after it
// stored an object: it looks for the connection's states when these are gone already.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}
