package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/permit"
)

// as is git with a name for commits.
const as = "git -c user.name=A -c user.email=a@example.com "

// does is what a question says that a command does to repositories.
func does(e *permit.Effect) string {
	var all []string
	for _, r := range e.Repositories {
		all = append(all, r.Does...)
	}
	return strings.Join(all, "\n")
}

// History that a command takes from a repository, and that nobody brings back, is asked about
// in every mode. What git itself does every day is not.
func TestLostHistory(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	begin := "git init -q -b main . && echo one >a && git add a && " + as + "commit -q -m first && git branch old && git tag v1"
	if r, err := callShell(t, s, w, input{Command: begin}); err != nil || r.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	const (
		all  = "every branch of .git is removed"
		ends = "keeps git from using the repository"
		logs = "are removed with the log of what they were"
	)
	for command, want := range map[string]string{
		"rm -rf .git/refs": all,
		"rmdir .git/objects/info .git/objects/pack; rm -rf .git/objects": ends,
		"rm -rf .git/refs/heads":                                            all,
		"git pack-refs --all && rm .git/packed-refs":                        all,
		"git pack-refs --all && rm -rf .git/refs && echo >.git/packed-refs": all,
		"for b in main old; do echo x >.git/refs/heads/$b; done":            all,
		"git checkout -q --detach && git branch -q -D main old":             all,
		"rm .git/refs/heads/old .git/logs/HEAD":                             logs,
		"git tag -d v1 && rm -rf .git/logs":                                 logs,
		"mv .git/refs .git/refsx":                                           ends,
		"echo x >.git/HEAD":                                                 ends,
		"git branch -q -D old":                                              "",
		"git branch -q -m main trunk && git branch -q -D old":               "",
		"git pack-refs --all":                                               "",
		"git checkout -q --detach":                                          "",
		"git checkout -q old && echo two >a && " + as + "commit -qam two && git branch -q -D main": "",
		"git reflog expire --expire=now --all":                                                     "",
	} {
		e, told := attempt(t, s, w, command)
		if got := strings.Join(e.Automatic, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s is asked about as %q, and not %q: %s", command, got, want, told)
		}
	}
	module := filepath.Join(base, "module") // beside what is copied
	must(t, os.CopyFS(module, os.DirFS(filepath.Join(w.Project, ".git"))))
	must(t, os.CopyFS(filepath.Join(w.Project, ".git/modules/sub"), os.DirFS(module)))
	if e, told := attempt(t, s, w, "rm -rf .git/modules/sub/refs"); !strings.Contains(strings.Join(e.Automatic, "\n"), "every branch of .git/modules/sub is removed") {
		t.Errorf("the branches of a submodule are asked about as %q: %s", e.Automatic, told)
	}
}

// Entries of the stash and of logs that go are named: they are nowhere else.
func TestLogsThatGo(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	begin := "git init -q -b main . && git config user.name A && git config user.email a@example.com && echo one >a && git add a && git commit -q -m first && git branch old" +
		" && for i in 1 2 3; do echo $i >a; git stash -q; done"
	if r, err := callShell(t, s, w, input{Command: begin}); err != nil || r.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	for command, want := range map[string]string{
		"git stash drop -q":             "1 change of the stash dropped",
		"git stash drop -q 'stash@{2}'": "1 change of the stash dropped",
		"git stash clear":               "3 changes of the stash dropped",
		"rm .git/logs/refs/stash":       "3 changes of the stash dropped",
		"tail -n 1 .git/logs/refs/stash >x && cat x >.git/logs/refs/stash && rm x": "2 changes of the stash dropped",
		"echo 4 >a; git stash -q":                         "1 change stashed",
		"rm .git/logs/refs/heads/*":                       "the reflog of 2 branches is removed",
		"rm .git/logs/HEAD":                               "the reflog of HEAD is removed",
		"echo >.git/logs/HEAD":                            "the reflog of HEAD loses entries",
		"sed -i s/first/other/ .git/logs/refs/heads/main": "the reflog of 1 branch loses entries",
		"rm -rf .git/logs":                                "3 changes of the stash dropped\nthe reflog of HEAD is removed\nthe reflog of 2 branches is removed",
		"git branch -q -D old":                            "branch old is deleted",
	} {
		e, told := attempt(t, s, w, command)
		if got := does(&e); got != want && !(strings.Contains(command, "stash") && strings.Contains(got, want)) {
			t.Errorf("%s is described as %q, and not %q: %s", command, got, want, told)
		}
	}
}
