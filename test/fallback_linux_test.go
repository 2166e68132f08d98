package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Where another file system is mounted inside the project, and where a command can have
// no namespaces, no overlay can be laid. A command that only reads needs no decision and
// changes nothing; one that writes is allowed by a rule, until one has changed a protected
// file.
//
// Covers: turn-api REQ-04
func TestCommandsWithoutAnOverlay(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(p *place, cmd *exec.Cmd){
		"a mount inside": func(p *place, cmd *exec.Cmd) {
			must(t, os.Mkdir(filepath.Join(p.project, "mounted"), 0o755))
			cmd.Args = append([]string{
				"sh", "-c", `mount -t tmpfs tmpfs "$1/mounted" || exit 77; shift; exec "$@"`, "sh", p.project, cmd.Path,
			}, cmd.Args[1:]...)
			cmd.Path, cmd.SysProcAttr = "/bin/sh", inMountNamespace()
		},
		"Landlock alone": func(_ *place, cmd *exec.Cmd) { without(cmd, withoutNamespaces, "/proc/self/exe") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.scripted(`turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "cat _STATUS.md; echo x > new"}}
      - call: {name: bash, input: {command: "echo first > first; echo mine > _STATUS.md", write: true}}
      - call: {name: bash, input: {command: "echo late > late", write: true}}
      - call: {name: bash, input: {command: "cat first"}}
      - say: Done.
`)
			p.file("_STATUS.md", "state")
			cmd := p.command("turn", "--mode", "dontAsk", "--allow", "bash", "go")
			prepare(p, cmd)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 77 {
				t.Skipf("skipped: this system does not let the test mount a disk: %s", out)
			}
			for _, want := range []string{
				"the project was read-only for it", "it changed what it may not: _STATUS.md", "an earlier command changed what it may not: _STATUS.md",
			} {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is not told (%v):\n%s", want, err, out)
				}
			}
			for name, want := range map[string]string{"new": "", "first": "first\n", "_STATUS.md": "mine\n", "late": ""} {
				if got, _ := os.ReadFile(filepath.Join(p.project, name)); string(got) != want {
					t.Errorf("%s holds %q, not %q", name, got, want)
				}
			}
			if log := p.audit(); !strings.Contains(log, "changed what it may not: _STATUS.md") {
				t.Errorf("the audit log has\n%s", log)
			}
		})
	}
}
