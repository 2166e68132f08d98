package cli

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user and group that own nothing.
const nobody = 65534

// nobodys is a command of belay by a user whom permissions bind, which root is not.
type nobodys struct {
	t            *testing.T
	belay, place string
}

func (n nobodys) run(code int, args ...string) string {
	n.t.Helper()
	cmd := exec.Command(n.belay, args...)
	cmd.Dir = filepath.Join(n.place, "project")
	cmd.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=" + n.place, "USER=ana", "BELAY_SCRIPTED_PACE=0", "BELAY_PERMIT_TIMEOUT=1s", "BELAY_SCRIPTED_SCRIPT=" + filepath.Join(n.place, "script.yaml"),
		"XDG_STATE_HOME=" + n.place + "/state", "XDG_CACHE_HOME=" + n.place + "/cache", "XDG_CONFIG_HOME=" + n.place + "/config",
	}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		n.t.Errorf("belay %s: exit code %d, want %d: %v\n%s", strings.Join(args, " "), got, code, err, out)
	}
	return string(out)
}

// newNobody is such a command, with these files, which are the user's.
func newNobody(t *testing.T, files map[string]string) nobodys {
	t.Helper()
	program, err := exec.LookPath("belay")
	if err != nil {
		t.Fatal(err)
	}
	place, err := os.MkdirTemp("", "belay-nobody-") // the folders of t are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(place) })
	// Not written here: what another test starts meanwhile would have it open, and busy.
	if out, err := exec.Command("cp", program, filepath.Join(place, "belay")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for path, content := range files {
		path = filepath.Join(place, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil { //nolint:gosec // nobody's secrets
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(place, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || os.Geteuid() != 0 {
			return err
		}
		return os.Chown(path, nobody, nobody) // an overlay takes files of the user alone
	})
	if err != nil {
		t.Fatal(err)
	}
	return nobodys{t, filepath.Join(place, "belay"), place}
}

// Commands that only read work in a project that the user cannot write to. The others say
// that this is what is wrong.
func TestReadOnlyProject(t *testing.T) {
	t.Parallel()
	if found, err := machine(); err != nil || !found.Overlay {
		t.Skipf("skipped: without an overlay no change is kept: %q, %v", found.Reasons, err)
	}
	n := newNobody(t, map[string]string{"script.yaml": commanding, "project/a.txt": "one\n"})
	project := filepath.Join(n.place, "project")
	n.run(0, "turn", "--wait", "go") // for a second: nobody answers
	id := regexp.MustCompile(`chg_\w+`).FindString(n.run(0, "changes", "list"))
	if id == "" {
		t.Fatal("no change is kept")
	}
	for _, path := range []string{project, filepath.Join(project, ".belay", "sessions")} {
		if err := os.Chmod(path, 0o555); err != nil { //nolint:gosec // for the user that is nobody
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(project, ".belay", "sessions"), 0o755) }) //nolint:gosec // so that it can be removed
	if got := n.run(0, "session", "list"); !strings.Contains(got, "sess_") {
		t.Errorf("no session is listed:\n%s", got)
	}
	if got := n.run(0, "changes", "list"); !strings.Contains(got, id) {
		t.Errorf("no change is listed:\n%s", got)
	}
	if got := n.run(0, "changes", "show", id); !strings.Contains(got, "-one\n+two\n") {
		t.Errorf("the change is not shown:\n%s", got)
	}
	for _, args := range [][]string{{"runs", "list"}, {"snapshot", "list"}, {"project", "list"}, {"deps", "order"}, {"session", "search", "go"}} {
		n.run(0, args...)
	}
	if got := n.run(1, "session", "delete", strings.Fields(n.run(0, "session", "list"))[4]); !strings.Contains(got, "permission is denied for") || strings.Contains(got, "permission denied") {
		t.Errorf("why a session is not removed is said twice, or not at all:\n%s", got)
	}
	const why = "the project folder cannot be written to: "
	for _, args := range [][]string{{"turn", "go"}, {"changes", "drop", id}} {
		if got := n.run(3, args...); !strings.Contains(got, why) || !strings.Contains(got, "commands that only read work as it is") {
			t.Errorf("belay %s does not say what is wrong:\n%s", strings.Join(args, " "), got)
		}
	}
}

// commanding is an agent whose command's changes nobody decides on.
const commanding = `turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "echo two > a.txt"}}
      - say: The end.
`
