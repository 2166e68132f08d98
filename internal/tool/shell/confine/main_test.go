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
	goleak.VerifyTestMain(m)
}
