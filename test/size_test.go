package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// programBytes is the most that the stripped program may have. The SDKs of the
// providers and the embedded bus take about half of it.
const programBytes = 120_000_000

func TestProgramSize(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Log("other systems' programs have other sizes; one system holds the limit for all")
		return
	}
	name := filepath.Join(t.TempDir(), "belay")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", name, "belay/cmd/belay")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(name)
	must(t, err)
	if info.Size() > programBytes {
		t.Errorf("the stripped program has %d bytes, more than %d", info.Size(), programBytes)
	}
	t.Logf("%d bytes", info.Size())
}
