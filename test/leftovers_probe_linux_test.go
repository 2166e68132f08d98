package test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A process is killed while it tries out what the sandbox can use. The next one removes the
// folder that it left among the system's temporary files, and leaves none itself.
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
	if out, err := p.command("doctor").CombinedOutput(); err != nil && !strings.Contains(string(out), "sandbox") {
		t.Fatalf("%v\n%s", err, out)
	}
	if all := left(); len(all) > 0 {
		t.Errorf("the next process leaves %v", all)
	}
}
