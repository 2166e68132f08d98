package shell

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes the test program also what an escape is tried from and at
// ([probe], [victim]).
func TestMain(m *testing.M) {
	if err := Harden(); err != nil { // as belay is
		panic(err)
	}
	if play, ok := roles[os.Getenv(roleVar)]; ok && len(os.Args) > 1 && os.Args[1] == roleArg {
		os.Exit(play(os.Args[2:]))
	}
	state, err := os.MkdirTemp("", "belay-shell-*")
	if err != nil {
		panic(err)
	}
	shared = New(Options{Environ: os.Environ(), StateDir: state})
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(state); err != nil {
			panic(err)
		}
		os.Exit(code)
	}))
}

// shared is a tool with no options, which has tried the machine only once.
var shared *Shell

// A program that tests start plays one of the roles.
const (
	roleArg = "__role"
	roleVar = "BELAY_TEST_ROLE"
)
