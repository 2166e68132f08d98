package app

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// A process goes on after its program was unmapped, and holds less of it.
func TestProgramIsReleased(t *testing.T) {
	resident := func() int {
		t.Helper()
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)
		if found == nil {
			t.Fatal("the kernel does not say what is resident")
		}
		n, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := resident()
	if err := releaseProgram(); err != nil {
		t.Fatal(err)
	}
	if after := resident(); after > before*3/4 {
		t.Errorf("%d KiB of files are resident, %d before", after, before)
	}
}
