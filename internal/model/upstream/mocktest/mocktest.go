// Package mocktest starts implementations of providers' APIs that others wrote, for
// the tests of the providers.
package mocktest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Start runs one until the test ends and returns its URL, so that the tests do not
// only check our idea of a protocol against itself. It is for packages beside each
// other in internal/model.
func Start(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "test", "aimock")
	missing := ""
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@copilotkit", "aimock")); err != nil {
		missing = "the npm mock is not installed; run: make test-tools"
	} else if _, err := exec.LookPath("node"); err != nil {
		missing = "the npm mock needs Node 20.15 or later"
	}
	if missing != "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip("skipped, not passed: " + missing)
	}
	cmd := exec.CommandContext(t.Context(), "node", "serve.mjs")
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // ends it
		_ = cmd.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the mock did not start: %v", err)
	}
	return strings.TrimSpace(url)
}
