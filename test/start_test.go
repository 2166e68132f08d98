package test

import (
	"bufio"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// startAllocs is the most that the program may allocate before its main function, in
// all its packages: every command, and every child in a sandbox, pays for it. A package
// that reads tables or compiles expressions at its start easily doubles the number; let
// it do so when it first needs them ([belay/internal/lazyregexp]).
const startAllocs = 52_000

// The runtime tells what each package's variables and init functions allocate, a
// number that does not depend on the machine.
func TestWorkBeforeMain(t *testing.T) {
	t.Parallel()
	program, err := belay()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), program, "version")
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	must(t, cmd.Run())
	type start struct {
		allocs int
		name   string
	}
	var all []start
	sum := 0
	for lines := bufio.NewScanner(strings.NewReader(trace.String())); lines.Scan(); {
		// init belay/internal/config @4.2 ms, 0.10 ms clock, 6920 bytes, 42 allocs
		fields := strings.Fields(lines.Text())
		if len(fields) != 11 || fields[0] != "init" {
			continue
		}
		allocs, err := strconv.Atoi(fields[9])
		must(t, err)
		all = append(all, start{allocs, fields[1]})
		sum += allocs
	}
	if len(all) < 100 {
		t.Fatalf("the runtime told of %d packages:\n%s", len(all), &trace)
	}
	t.Logf("%d allocations", sum)
	if sum > startAllocs {
		slices.SortFunc(all, func(a, b start) int { return b.allocs - a.allocs })
		t.Errorf("%d allocations before main, more than %d; most of them: %v", sum, startAllocs, all[:10])
	}
}
