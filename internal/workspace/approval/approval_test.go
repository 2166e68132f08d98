package approval

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const folder = "PKG-01_Site/1_Working/DEL-01-02_Survey"

// work is a project in a repository that git made.
type work struct {
	t            *testing.T
	top, project string
	days         int
}

func newWork(t *testing.T, project string) *work {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	w := &work{t: t, top: t.TempDir()}
	w.project = filepath.Join(w.top, project)
	w.git("init", "-q", "-b", "main")
	return w
}

func (w *work) git(args ...string) string {
	w.t.Helper()
	w.days++
	cmd := exec.Command("git", append([]string{"-C", w.top, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	date := fmt.Sprintf("2026-01-01T00:%02d:00Z", w.days)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *work) put(name, content string) {
	w.t.Helper()
	path := filepath.Join(w.project, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *work) commit(message string) string {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "-m", message)
	return w.git("rev-parse", "HEAD")
}

func (w *work) look(adjust ...func(*Options)) Seen {
	w.t.Helper()
	o := Options{Project: w.project, Folder: folder, Commits: 20}
	for _, f := range adjust {
		f(&o)
	}
	s, err := Look(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func state(s string) string { return "# Status: DEL-01-02 Survey\n\n**Current State:** " + s + "\n" }

// A file is uncommitted if its bytes differ from the commit. Line ends, pointers of Git LFS and
// hidden files do not count.
func TestUncommitted(t *testing.T) {
	t.Parallel()
	for _, project := range []string{"", "below/the top"} {
		w := newWork(t, project)
		w.put(folder+"/_STATUS.md", state("IN_PROGRESS"))
		w.put(folder+"/same.md", "as it was\n")
		w.put(folder+"/ends.md", "one\ntwo\n")
		w.put(folder+"/gone.md", "soon\n")
		w.put(folder+"/deep/er/changed.md", "before\n")
		w.put(folder+"/secret/key", "hidden\n")
		w.put("elsewhere.md", "not below\n")
		head := w.commit("all")
		if got := w.look(); len(got.Uncommitted) != 0 || got.Head.ID != head || got.Unseen {
			t.Fatalf("right after the commit: %+v", got)
		}
		w.put(folder+"/ends.md", "one\r\ntwo\r\n")
		w.put(folder+"/deep/er/changed.md", "after\n")
		w.put(folder+"/new.md", "new\n")
		w.put(folder+"/.belay/state", "belay's own\n")
		w.put(folder+"/secret/key", "other\n")
		w.put("elsewhere.md", "changed\n")
		if err := os.Remove(filepath.Join(w.project, filepath.FromSlash(folder), "gone.md")); err != nil {
			t.Fatal(err)
		}
		got := w.look(func(o *Options) { o.Hides = func(rel string) bool { return strings.HasPrefix(rel, folder+"/secret") } })
		want := []File{{"deep/er/changed.md", Changed}, {"gone.md", Removed}, {"new.md", New}}
		if diff := cmp.Diff(want, got.Uncommitted); diff != "" {
			t.Errorf("%q (-want +got):\n%s", project, diff)
		}
	}
}

func TestPointerOfLFS(t *testing.T) {
	t.Parallel()
	w := newWork(t, "")
	sum := sha256.Sum256([]byte("a large file\n"))
	w.put(folder+"/large.bin", fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize 13\n", sum))
	w.commit("a pointer")
	w.put(folder+"/large.bin", "a large file\n")
	if got := w.look(); len(got.Uncommitted) != 0 {
		t.Errorf("the file of the pointer: %+v", got.Uncommitted)
	}
	w.put(folder+"/large.bin", "another file\n")
	if got := w.look(); len(got.Uncommitted) != 1 {
		t.Errorf("a file that is not the one of the pointer: %+v", got.Uncommitted)
	}
}

// The diff begins at the commit in which the state came to be, not at the last commit.
func TestSince(t *testing.T) {
	t.Parallel()
	w := newWork(t, "")
	w.put(folder+"/_STATUS.md", state("OPEN"))
	w.put(folder+"/Datasheet.md", "one\n")
	w.commit("opened")
	w.put(folder+"/_STATUS.md", state("IN_PROGRESS"))
	began := w.commit("begun")
	w.put(folder+"/Datasheet.md", "two\n")
	w.commit("work")
	w.put(folder+"/_STATUS.md", state("IN_PROGRESS")+"\nA note.\n")
	last := w.commit("a note in the status")
	w.put(folder+"/Datasheet.md", "three\n")
	w.put(folder+"/plan.bin", "\x00\x01")
	got := w.look()
	if got.Since == nil || got.Since.Commit.ID != began || got.Since.State != "IN_PROGRESS" || got.Since.Pending {
		t.Fatalf("since %+v, want the commit %s", got.Since, began)
	}
	var names []string
	for _, c := range got.Since.Changes {
		names = append(names, fmt.Sprintf("%s %q %q", c.Path, c.Before, c.After))
	}
	want := []string{`Datasheet.md "one\n" "three\n"`, fmt.Sprintf(`_STATUS.md %q %q`, state("IN_PROGRESS"), state("IN_PROGRESS")+"\nA note.\n"), `plan.bin "" "\x00\x01"`}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	// A transition that nobody committed: what changed since the last commit.
	w.put(folder+"/_STATUS.md", state("CHECKING"))
	if got := w.look(); got.Since == nil || !got.Since.Pending || got.Since.Commit.ID != last {
		t.Errorf("a transition that is in no commit: %+v", got.Since)
	}
	if got := w.look(func(o *Options) { o.Folder = "PKG-01_Site" }); got.Since != nil {
		t.Errorf("a folder without a status: %+v", got.Since)
	}
}

// A project's settings and attributes name programs for git to run. None runs, whatever is
// looked at.
func TestNoProgramRuns(t *testing.T) {
	t.Parallel()
	w := newWork(t, "")
	w.put(folder+"/_STATUS.md", state("IN_PROGRESS"))
	w.put(folder+"/Datasheet.md", "one\n")
	w.commit("all")
	ran := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+ran+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{"core.fsmonitor", "core.sshCommand", "core.pager", "core.hooksPath", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge",
		"filter.evil.process", "gpg.program", "log.showSignature", "credential.helper", "core.gitProxy", "extensions.partialClone"} {
		w.git("config", setting, program)
	}
	w.put(".gitattributes", "* filter=evil diff=evil\n")
	w.put(folder+"/Datasheet.md", "two\n")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction"} {
		if err := os.WriteFile(filepath.Join(w.top, ".git", "hooks", hook), []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.look(); len(got.Uncommitted) != 1 || got.Since == nil {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository's settings ran")
	}
}

// A work tree names its repository: it may not name one that callers may not read.
func TestRepositoryElsewhere(t *testing.T) {
	t.Parallel()
	private := newWork(t, "")
	private.put(folder+"/_STATUS.md", state("OPEN"))
	private.commit("not for everybody")
	project := t.TempDir()
	if err := os.WriteFile(filepath.Join(project, ".git"), []byte("gitdir: "+filepath.Join(private.top, ".git")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(project, filepath.FromSlash(folder)), 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{Project: project, Folder: folder, Commits: 5, Allow: func(dir string) error { return errors.New("not " + dir) }}
	if s, err := Look(t.Context(), o); !errors.Is(err, ErrOutside) || s.Head != nil {
		t.Errorf("a repository elsewhere: %+v, %v", s, err)
	}
	o.Allow = nil
	if s, err := Look(t.Context(), o); err != nil || s.Head == nil {
		t.Errorf("where nothing is refused: %+v, %v", s, err)
	}
	if _, err := Look(t.Context(), Options{Project: t.TempDir(), Commits: 5}); !errors.Is(err, ErrNoRepository) {
		t.Errorf("without a repository: %v", err)
	}
}

// A folder without an end is looked at in part, and it is said.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	w := newWork(t, "")
	w.put(folder+"/_STATUS.md", state("OPEN"))
	w.commit("all")
	for i := range maxHere + 5 {
		w.put(fmt.Sprintf("%s/many/%05d", folder, i), "")
	}
	if got := w.look(); len(got.Uncommitted) != MaxFiles || !got.Unseen {
		t.Errorf("%d files, unseen %v", len(got.Uncommitted), got.Unseen)
	}
}

// A file that is too large to be compared hides no other.
func TestLargeFileHidesNoOther(t *testing.T) {
	t.Parallel()
	w := newWork(t, "")
	w.put(folder+"/_STATUS.md", state("OPEN"))
	w.put(folder+"/a-film.bin", "short")
	w.put(folder+"/b.md", "before\n")
	w.commit("all")
	if err := os.Truncate(filepath.Join(w.top, filepath.FromSlash(folder), "a-film.bin"), maxHashed+1); err != nil {
		t.Fatal(err)
	}
	w.put(folder+"/b.md", "after\n")
	got := w.look()
	if len(got.Uncommitted) != 1 || got.Uncommitted[0].Path != "b.md" || !got.Unseen {
		t.Errorf("uncommitted are %+v, unseen %v", got.Uncommitted, got.Unseen)
	}
}
