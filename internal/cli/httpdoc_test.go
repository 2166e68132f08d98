package cli

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The examples of docs/http.md do what the page says, from top to bottom, in a
// copy of the example project.
func TestHTTPGuide(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "curl", "sed"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS == "windows" {
			t.Skipf("the examples need %s", program)
		}
	}
	page, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	project := filepath.Join(home, "project")
	if err := os.CopyFS(project, os.DirFS("../../examples/project")); err != nil {
		t.Fatal(err)
	}
	base := serveFor(t, home, project)
	var script strings.Builder
	// What fails must fail the script, which as a reader types it would go on.
	script.WriteString("set -eu\ncurl() { command curl --fail-with-body --max-time 20 \"$@\"; echo; }\n")
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1) {
		script.Write(block[1])
	}
	sh := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(script.String(), "http://127.0.0.1:23529", base))
	sh.Dir = project
	var errs bytes.Buffer
	sh.Stderr = &errs
	out, err := sh.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, &errs)
	}
	for pattern, times := range map[string]int{
		`(?m)^event: session:init$`:         1, // not in the two that resume
		`(?m)^event: process:exit$`:         3,
		`"mimeType":"text/csv"`:             2, // inspected and uploaded
		`"systemSha256":"[0-9a-f]{64}"`:     2, // in the transcript and by itself
		`"sessions":\[\{"sessionId":"sess_`: 4, // of all projects, listed, listed in pages and found
		`"status":"ready"`:                  1,
		`"turns":\[\]`:                      1,
		`"forkedFrom":\{"sessionId":"sess_`: 3, // in the answer and in the lists
		`"currentState":"INITIALIZED"`:      1,
		`"transition":\{"from":"OPEN"`:      1,
		`(?m)^belay_`:                       -1,
		`Received pdf \\"brief.pdf\\"`:      -1,
	} {
		if n := len(regexp.MustCompile(pattern).FindAll(out, -1)); n != times && !(times < 0 && n > 0) {
			t.Errorf("%s occurs %d times, want %d", pattern, n, times)
		}
	}
	if t.Failed() {
		answers, _, _ := bytes.Cut(out, []byte("# HELP")) // without the metrics
		t.Logf("the answers were\n%s", answers)
	}
}

// homeEnv is the environment of a program that has a home of its own.
func homeEnv(home string) []string {
	return []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config", "XDG_STATE_HOME=" + home + "/state",
		"XDG_CACHE_HOME=" + home + "/cache", "BELAY_SCRIPTED_PACE=0",
	}
}

// serveFor starts a server of its own for a test, with more in its environment, and
// returns its address.
func serveFor(t *testing.T, home, project string, more ...string) string {
	t.Helper()
	belay, err := exec.LookPath("belay")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(belay, "serve", "--addr", "127.0.0.1:0", "--project", project)
	cmd.Env = append(homeEnv(home), more...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server did not end in good order: %v", err)
		}
	})
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server said nothing: %v", err)
	}
	return strings.TrimSpace(strings.TrimPrefix(first, "listening on "))
}
