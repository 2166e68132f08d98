package confine

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes the test program a keeper, too, as belay is one.
func TestMain(m *testing.M) {
	if code, ok := Sandboxed(os.Args[1:]); ok {
		os.Exit(code)
	}
	if err := Harden(); err != nil { // as belay is
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
