package test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A process is killed while it tries out what the sandbox can use. The next one removes the
// folder that it left among the system's temporary files, and leaves none itself. What the
// killed one had begun may live for a moment and hold the folder: then the one after that
// removes it.
func TestLeftoversOfAKilledProbe(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	p := newPlace(t, "TMPDIR="+temp)
	left := func() []string {
		all, err := filepath.Glob(filepath.Join(temp, "belay-probe-*"))
		must(t, err)
		return all
	}
	for try := 0; len(left()) == 0; try++ {
		if try == 50 {
			t.Fatal("no process was killed while it had a folder")
		}
		cmd := p.command("doctor")
		must(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for alive := true; alive && len(left()) == 0; {
			select {
			case <-ended:
				alive = false
			case <-time.After(time.Millisecond):
			}
			if len(left()) > 0 {
				_ = cmd.Process.Kill()
				<-ended
				break
			}
		}
	}
	killed := left()
	for end := time.Now().Add(patience); ; {
		out, err := p.command("doctor").CombinedOutput()
		if err != nil && !strings.Contains(string(out), "sandbox") {
			t.Fatalf("%v\n%s", err, out)
		}
		all := left()
		if len(all) == 0 {
			return
		}
		if !slices.Equal(all, killed) || time.Now().After(end) {
			t.Fatalf("of %v there is %v\n%s", killed, all, out)
		}
	}
}
