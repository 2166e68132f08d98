package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// made is a work tree whose repository git itself made.
type made struct {
	t   *testing.T
	dir string
	day int
}

func newMade(t *testing.T, args ...string) *made {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	m := &made{t: t, dir: t.TempDir()}
	m.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return m
}

// git runs git, each time a day later.
func (m *made) git(args ...string) string {
	m.t.Helper()
	m.day++
	cmd := exec.Command("git", append([]string{"-C", m.dir, "-c", "user.name=Ada \x1b[31m Engineer", "-c", "user.email=ada@example.com"}, args...)...)
	date := "2026-01-" + string(rune('0'+m.day/10)) + string(rune('0'+m.day%10)) + "T12:00:00Z"
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (m *made) commit(message string, files map[string]string) string {
	m.t.Helper()
	for name, content := range files {
		write(m.t, filepath.Join(m.dir, filepath.FromSlash(name)), content)
	}
	m.git("add", "-A")
	m.git("commit", "-q", "--allow-empty", "-m", message)
	return m.git("rev-parse", "HEAD")
}

func (m *made) log(from, path string, most int) (ids []string, more bool) {
	m.t.Helper()
	r := find(m.t, m.dir)
	o, done, err := r.Objects()
	if err != nil {
		m.t.Fatal(err)
	}
	defer done()
	all, more, err := o.Log(m.t.Context(), from, path, most)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, l := range all {
		ids = append(ids, l.ID)
	}
	return ids, more
}

// The log of a path is that of git, over merges, in both object formats, loose and packed.
func TestLog(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			m := newMade(t, "--object-format="+format)
			m.commit("one", map[string]string{"a/x": "1", "b": "1"})
			m.commit("two\n\nwith more", map[string]string{"b": "2"})
			m.git("checkout", "-q", "-b", "side")
			m.commit("on the side", map[string]string{"a/y": "1"})
			m.git("checkout", "-q", "main")
			m.commit("on main", map[string]string{"a/x": "2"})
			m.git("merge", "-q", "--no-ff", "-m", "merged", "side")
			m.commit("after", map[string]string{"b": "3"})
			m.commit("x again", map[string]string{"a/x": "3"})
			head := m.git("rev-parse", "HEAD")
			for _, packed := range []bool{false, true} {
				if packed {
					m.git("gc", "-q")
				}
				for _, path := range []string{"", "a", "a/x", "b", "never"} {
					args := []string{"log", "--format=%H"}
					if path != "" {
						args = append(args, "--", path)
					}
					want := strings.Fields(m.git(args...))
					got, more := m.log(head, path, 100)
					if !slices.Equal(want, got) || more {
						t.Errorf("packed %v, %q: %v, more %v; git says %v", packed, path, got, more, want)
					}
				}
			}
			if got, more := m.log(head, "a/x", 2); len(got) != 2 || !more {
				t.Errorf("two of three commits are %v, more %v", got, more)
			}
		})
	}
}

// What a commit says of itself is one line without control characters.
func TestLogged(t *testing.T) {
	t.Parallel()
	m := newMade(t)
	id := m.commit("a \u202esubject\twith \x1b]0;marks\n\nand more", nil)
	o, done, err := find(t, m.dir).Objects()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	l, err := o.Logged(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if l.Subject != "a subject with ]0;marks" || l.Author != "Ada [31m Engineer" || l.Time.Year() != 2026 {
		t.Errorf("%+v", l)
	}
}

// Head follows branches, packed references and linked work trees, and believes nothing else.
func TestHead(t *testing.T) {
	t.Parallel()
	m := newMade(t)
	head := func(dir string) string {
		t.Helper()
		id, err := find(t, dir).Head()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	if got := head(m.dir); got != "" {
		t.Errorf("before the first commit HEAD is %q", got)
	}
	first := m.commit("one", map[string]string{"a": "1"})
	if got := head(m.dir); got != first {
		t.Errorf("on a branch HEAD is %q, not %s", got, first)
	}
	m.git("pack-refs", "--all")
	if got := head(m.dir); got != first {
		t.Errorf("with packed references HEAD is %q", got)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	m.git("worktree", "add", "-q", "-b", "other", linked)
	if got := head(linked); got != first {
		t.Errorf("in a linked work tree HEAD is %q", got)
	}
	m.git("checkout", "-q", "--detach")
	if got := head(m.dir); got != first {
		t.Errorf("detached HEAD is %q", got)
	}
	for _, text := range []string{"", "ref: ../../../etc/passwd", "ref: refs/../../secret", "ref: HEAD", "nonsense", strings.Repeat("a", 39)} {
		write(t, filepath.Join(m.dir, ".git", "HEAD"), text+"\n")
		if id, err := find(t, m.dir).Head(); err == nil {
			t.Errorf("HEAD %q is %q", text, id)
		}
	}
	write(t, filepath.Join(m.dir, ".git", "HEAD"), "ref: refs/heads/circle\n")
	write(t, filepath.Join(m.dir, ".git", "refs", "heads", "circle"), "ref: refs/heads/circle\n")
	if id, err := find(t, m.dir).Head(); err == nil {
		t.Errorf("a reference to itself is %q", id)
	}
	write(t, filepath.Join(m.dir, ".git", "reftable", "tables.list"), "")
	if _, err := find(t, m.dir).Head(); err == nil || !strings.Contains(err.Error(), "reftable") {
		t.Errorf("a reftable: %v", err)
	}
}
