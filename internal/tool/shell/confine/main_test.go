package confine

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain closes the test program to its commands.
func TestMain(m *testing.M) {
	if err := Harden(); err != nil { // as belay is
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
