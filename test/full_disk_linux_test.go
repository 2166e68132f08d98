package test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// smallDisk runs a command in a copy of a project, on a disk that has room for two
// blocks more, and copies out what the project holds then; after that once more, with
// room again. It ends as the first run did.
const smallDisk = `disk=$1 project=$2 first=$3 second=$4
shift 4
mount -t tmpfs -o size=4m tmpfs "$disk" || exit 77
cp -a "$project/." "$disk" && cd "$disk" || exit 78
dd if=/dev/zero of=ballast bs=4096 2>/dev/null
truncate -s -8192 ballast
"$@"
code=$?
rm ballast
cp -a . "$first"
"$@" 2>/dev/null >&2 && cp -a . "$second"
exit $code
`

// noMount is what it exits with where the test may not mount a disk.
const noMount = 77

// A disk that fills up while a command writes project files leaves every file as it
// was, and nothing unfinished; the error is typed and says what to do. With room again
// the command does its work.
//
// Covers: workspace 3.3, 6.6, 11.1
func TestDiskFullWhileWriting(t *testing.T) {
	t.Parallel()
	for name, w := range writings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			much := strings.Repeat("Words that a person wrote. ", 400) // more than there is room for
			for file, text := range w.files {
				switch filepath.Ext(file) {
				case ".csv":
					w.files[file] = strings.NewReplacer("a.md,TBD", much+",TBD", "a.md,PENDING", much+",PENDING").Replace(text)
				case ".md":
					w.files[file] = text + "\n## Remarks\n\n" + much + "\n"
				}
			}
			p := w.place(t)
			before := p.holds(t)
			said, full, room := p.onSmallDisk(t, w.args)
			if !strings.Contains(said, "(STORAGE_FAILURE)\nhint: ") {
				t.Errorf("the command said %s", said)
			}
			if out, err := p.command(w.args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := p.holds(t)
			after := full.holds(t)
			for file, text := range after {
				if old, was := before[file]; was && text != old || !was && text != want[file] {
					t.Errorf("with a full disk %s became %.300q", file, text)
				}
			}
			for file := range before {
				if _, is := after[file]; !is {
					t.Errorf("with a full disk %s is gone", file)
				}
			}
			if diff := cmp.Diff(want, room.holds(t)); diff != "" {
				t.Errorf("with room again (-want +got):\n%s", diff)
			}
		})
	}
}

// onSmallDisk runs a command where the disk is full, and then with room. It returns
// what the first run said, and the project after each.
func (p *place) onSmallDisk(t *testing.T, args []string) (said string, full, room *place) {
	t.Helper()
	program, err := belay()
	must(t, err)
	full, room = &place{t: t, project: t.TempDir(), env: p.env}, &place{t: t, project: t.TempDir(), env: p.env}
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", smallDisk, "sh", t.TempDir(), p.project, full.project, room.project, program}, args...)...) //nolint:gosec // the test itself
	cmd.Env = p.env
	cmd.SysProcAttr = inMountNamespace()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == noMount {
		t.Skipf("skipped: this system does not let the test mount a small disk: %v %s", err, out)
	}
	if err == nil {
		t.Errorf("the command ended well on a full disk: %s", out)
	}
	return string(out), full, room
}
