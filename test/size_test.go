package test

import (
	"os"
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
	name, err := belay()
	must(t, err)
	info, err := os.Stat(name)
	must(t, err)
	if info.Size() > programBytes {
		t.Errorf("the stripped program has %d bytes, more than %d", info.Size(), programBytes)
	}
	t.Logf("%d bytes", info.Size())
}
