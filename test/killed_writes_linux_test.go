package test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writing is a command that changes files of a project.
type writing struct {
	// files are what the project holds before it.
	files map[string]string
	args  []string
	// every is how many steps are between two at which it is killed.
	every int
	// done are the words of the command where it finds its work done.
	done string
}

const (
	oneRow     = "v3.1,DEP-01-01-001,PKG-01,DEL-01-01,List,EXECUTION,NOT_APPLICABLE,UPSTREAM,INTERFACE,DELIVERABLE,DEL-01-02,a.md,a.md,TBD,EXTRACTED,2026-01-01,2026-01-02,ACTIVE\n"
	oldSummary = "# Dependencies: DEL-01-01\n\n## Extracted Dependency Register\n**Total ACTIVE rows:** 3\n\n## Run History\n"
	rowColumns = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType,TargetType,TargetDeliverableID,EvidenceFile,SourceRef,SatisfactionStatus,Origin,FirstSeen,LastSeen,Status\n"
)

// writings are the commands that write project files.
func writings() map[string]writing {
	return map[string]writing{
		"transition": {
			files: map[string]string{listFolder + "/_STATUS.md": listStatus},
			args:  []string{"project", "status", "DEL-01-01", "--to", "INITIALIZED", "--actor", "4_DOCUMENTS", "--date", "2026-01-03"},
			every: 1, done: "the deliverable is in INITIALIZED",
		},
		"register": {
			files: map[string]string{
				listFolder + "/_STATUS.md": listStatus, listFolder + "/Dependencies.csv": rowColumns + oneRow, "proposal.csv": rowColumns + strings.ReplaceAll(oneRow, ",TBD,", ",PENDING,"),
				listFolder + "/_DEPENDENCIES.md": oldSummary,
			},
			args: []string{"deps", "import", "DEL-01-01", "proposal.csv", "--apply"}, every: 1,
		},
		"proposal": {
			files: map[string]string{
				listFolder + "/_STATUS.md": listStatus, listFolder + "/Dependencies.csv": rowColumns + oneRow, listFolder + "/_DEPENDENCIES.md": oldSummary,
				".belay/proposals/prop-0001.csv":  rowColumns + strings.ReplaceAll(oneRow, "2026-01-02,", "2026-02-02,"),
				".belay/proposals/prop-0001.json": `{"id":"prop-0001","deliverable":"DEL-01-01","path":"` + listFolder + `","complete":false,"rows":1,"state":"open"}`,
			},
			args: []string{"deps", "import", "DEL-01-01", ".belay/proposals/prop-0001.csv", "--apply", "--stale"}, every: 3, done: "was applied already",
		},
		"summary": {
			files: map[string]string{
				listFolder + "/_STATUS.md": listStatus, listFolder + "/Dependencies.csv": rowColumns + oneRow, listFolder + "/_DEPENDENCIES.md": oldSummary,
			},
			args: []string{"deps", "summary", "--write"}, every: 2,
		},
		"scaffold": {
			files: map[string]string{"bridge.md": footbridge},
			args:  []string{"project", "init", "root", "--decomposition", "bridge.md"}, every: 7,
		},
		"snapshot": {
			files: map[string]string{"_Estimates/draft/a/one.csv": "1\n", "_Estimates/draft/two.csv": "2\n"},
			args:  []string{"snapshot", "new", "_Estimates", "EST", "--from", "_Estimates/draft"}, every: 2,
		},
	}
}

// Every command that writes project files is killed before each of its calls that
// change a file or a folder, also of belay's own. Whenever that is, each file of the
// project is the old one or the new one; what is unfinished is told by validate; the
// audit log is whole; and the same command ends as if nothing had been, with nothing
// left behind.
//
// Covers: workspace 3.3, 6.6, 11.1
func TestKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	for name, w := range writings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := w.place(t)
			before := p.holds(t)
			out, err := p.command(w.args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := p.holds(t)
			if cmp.Equal(before, want) {
				t.Fatalf("the command changed nothing: %s", out)
			}
			at, kills := 1, 0
			for w.killed(t, at, before, want) {
				at += w.every
				kills++
			}
			t.Logf("killed at %d of %d steps", kills, at)
			if kills < 10 {
				t.Errorf("killed at %d steps only", kills)
			}
		})
	}
}

func (w writing) place(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	for name, text := range w.files {
		must(t, os.MkdirAll(filepath.Join(p.project, filepath.FromSlash(filepath.Dir(name))), 0o755))
		p.file(name, text)
	}
	return p
}

// killed kills the command at a step and checks what is there, then and after it was
// run again. It is false where the command has fewer steps.
func (w writing) killed(t *testing.T, at int, before, want map[string]string) bool {
	t.Helper()
	p := w.place(t)
	out, err := p.stepped(t, at, w.args...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == steppedKilled {
		p.checkWhole(t, at, before, want)
		out, err = p.command(w.args...).CombinedOutput()
		if w.done != "" && strings.Contains(string(out), w.done) {
			err = nil
		}
	} else {
		at = 0
	}
	if err != nil {
		t.Fatalf("step %d: %v\n%s", at, err, out)
	}
	if diff := cmp.Diff(want, w.settled(p.holds(t))); diff != "" {
		t.Errorf("killed at step %d and run again (-want +got):\n%s", at, diff)
	}
	if out, err := p.command("audit", "verify").CombinedOutput(); err != nil {
		t.Errorf("killed at step %d, the audit log: %v\n%s", at, err, out)
	}
	return at > 0
}

// settled is what a project holds, with two snapshots that are the same as one: a
// publisher that was killed had published.
func (w writing) settled(all map[string]string) map[string]string {
	one := map[string]string{}
	for name, text := range all {
		name, text = strings.Replace(name, "EST_NOW_2", "EST_NOW", 1), strings.Replace(text, "EST_NOW_2", "EST_NOW", 1)
		if other, is := one[name]; is && other != text {
			name += " (differs)"
		}
		one[name] = text
	}
	return one
}

// checkWhole checks that each file is an old one or a new one, and that what is
// neither, being unfinished, is told of.
func (p *place) checkWhole(t *testing.T, at int, before, want map[string]string) {
	t.Helper()
	var unfinished []string
	now := p.holds(t)
	for name, text := range now {
		if strings.HasPrefix(name, ".belay/journal/") {
			continue // contents of a change that is not over
		}
		if i := strings.Index(name, ".tmp-"); i >= 0 {
			if top, _, _ := strings.Cut(name[i:], "/"); name == name[:i]+top {
				unfinished = append(unfinished, name)
			}
			continue
		}
		old, was := before[name]
		if text != want[name] && !(was && text == old) {
			t.Errorf("killed at step %d, %s is %q", at, name, text)
		}
	}
	for name := range before {
		if _, is := now[name]; !is {
			t.Errorf("killed at step %d, %s is gone", at, name)
		}
	}
	for _, name := range unfinished {
		if strings.HasPrefix(name, ".belay/") {
			continue // belay's own memory is none of the project's
		}
		root := "."
		if rest, ok := strings.CutPrefix(name, "root/"); ok {
			root, name = "root", rest
		}
		out, err := p.command("project", "validate", "--project", root, "--json").Output()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), `"path": "`+name+`",`+"\n"+`      "severity": "warning",`+"\n"+`      "code": "UNFINISHED_FILE"`) {
			t.Errorf("killed at step %d, validate does not tell of %s", at, name)
		}
	}
}

// moments are what differs between two runs of the same command.
var moments = regexp.MustCompile(`\d{4}-\d{2}-\d{2}([T_]\d{2}:?\d{2}(:\d{2}(\.\d+)?)?Z?)?`)

// holds are the files and folders of the project, with moments taken out.
func (p *place) holds(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(p.project, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == p.project {
			return err
		}
		name := moments.ReplaceAllString(filepath.ToSlash(strings.TrimPrefix(path, p.project+"/")), "NOW")
		if strings.HasPrefix(name, ".belay/.tmp-") {
			return nil // belay's own, which nobody reads
		}
		if e.IsDir() {
			all[name] = "a folder"
			return nil
		}
		data, err := os.ReadFile(path)
		all[name] = moments.ReplaceAllString(string(data), "NOW")
		return err
	}))
	return all
}
