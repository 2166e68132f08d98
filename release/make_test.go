package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// make install puts the program, its manual pages and completions below PREFIX, and each
// works; make uninstall takes all of it away and nothing else.
func TestMakeInstall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no make install on Windows")
	}
	root := t.TempDir()
	mine := filepath.Join(root, "opt/share/man/man1/mine.1")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"BIN=" + filepath.Join(t.TempDir(), "bin"), "DESTDIR=" + root, "PREFIX=/opt"}
	command(t, "..", "make", append(args, "install")...)

	got := below(t, root)
	share := filepath.Join(root, "opt/share")
	var pages []string
	for _, name := range got {
		if filepath.Ext(name) == ".1" && name != "opt/share/man/man1/mine.1" {
			pages = append(pages, name)
		}
	}
	want := append([]string{
		"opt/bin/belay", "opt/share/bash-completion/completions/belay", "opt/share/fish/vendor_completions.d/belay.fish",
		"opt/share/man/man1/mine.1", "opt/share/zsh/site-functions/_belay",
	}, pages...)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("installed are %q", got)
	}
	program := filepath.Join(root, "opt/bin/belay")
	for shell, name := range map[string]string{
		"bash": "bash-completion/completions/belay", "zsh": "zsh/site-functions/_belay", "fish": "fish/vendor_completions.d/belay.fish",
	} {
		script, err := os.ReadFile(filepath.Join(share, name))
		if err != nil || string(script) != command(t, root, program, "completion", shell) {
			t.Errorf("the completion of %s is not what the program says: %v", shell, err)
		}
		if _, err := exec.LookPath(shell); err == nil {
			command(t, root, shell, "-n", filepath.Join(share, name))
		}
	}
	if len(pages) < 50 || !slices.Contains(pages, "opt/share/man/man1/belay.1") || !slices.Contains(pages, "opt/share/man/man1/belay-turn.1") {
		t.Errorf("the manual pages are %q", pages)
	}
	t.Run("man", func(t *testing.T) { readable(t, root, pages) })
	works(t, program)

	command(t, "..", "make", append(args, "uninstall")...)
	if left := below(t, root); !slices.Equal(left, []string{"opt/share/man/man1/mine.1"}) {
		t.Errorf("after make uninstall there are %q", left)
	}
}

// readable has each manual page set as people see it, where the program for that is.
func readable(t *testing.T, root string, pages []string) {
	if _, err := exec.LookPath("man"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no man here")
	}
	t.Setenv("MANWIDTH", "80")
	for _, page := range pages {
		cmd := exec.CommandContext(t.Context(), "man", "--warnings", "-E", "UTF-8", "-l", filepath.Join(root, page))
		var warned strings.Builder
		cmd.Stderr = &warned
		text, err := cmd.Output()
		title := strings.ToUpper(strings.TrimSuffix(filepath.Base(page), ".1")) + "(1)"
		if err != nil || warned.Len() > 0 || !strings.Contains(string(text), title) || !strings.Contains(string(text), "SYNOPSIS") {
			t.Errorf("man %s: %v\n%s\n%.500s", page, err, &warned, text)
		}
	}
}

// below are the files in a folder.
func below(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// A path with blanks would be several to install and rm. Nothing else takes one.
func TestMakeRefusesBlanks(t *testing.T) {
	for _, name := range []string{"PREFIX", "DESTDIR"} {
		for _, target := range []string{"install", "uninstall", "build"} {
			cmd := exec.CommandContext(t.Context(), "make", "-n", target, name+"=/a b")
			cmd.Dir = ".."
			out, err := cmd.CombinedOutput()
			if refused := strings.Contains(string(out), "take no path with blanks"); refused != (target != "build") || refused != (err != nil) {
				t.Errorf("%s %s: %v: %s", target, name, err, out)
			}
		}
	}
}
