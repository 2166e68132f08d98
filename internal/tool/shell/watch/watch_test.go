package watch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plain is a project with a register, a status, and a repository.
var plain = map[string]string{
	"a.txt": "a", "b.txt": "b", "dir/c.txt": "c", "zone.md": "HUMAN says\nrest\n",
	"DEL/_STATUS.md": "state", "DEL/work.md": "work",
	".git/config": "[core]\n", ".git/hooks/pre-commit": "old", ".git/HEAD": "ref", ".git/objects/x": "x",
	".belay/sessions/s/log": "log",
}

// Covers: workspace 9.5
func TestWhatACommandDid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do    func(h *house)
		want  []string          // changes
		files map[string]string // what differs afterwards; "-" for gone
	}{
		"nothing":         {do: func(*house) {}},
		"touched":         {do: func(h *house) { h.must(os.Chtimes(h.at("a.txt"), time.Now(), time.Now())) }},
		"rewritten alike": {do: func(h *house) { h.write("a.txt", "a") }},
		"edited": {
			do: func(h *house) { h.write("a.txt", "A!") }, want: []string{"a.txt: a -rw-r--r-- > A! -rw-r--r--"},
			files: map[string]string{"a.txt": "A!"},
		},
		"same size, times set back": {
			do: func(h *house) {
				info, err := os.Stat(h.at("a.txt"))
				h.must(err)
				h.write("a.txt", "z")
				h.must(os.Chtimes(h.at("a.txt"), info.ModTime(), info.ModTime()))
			},
			want: []string{"a.txt: a -rw-r--r-- > z -rw-r--r--"}, files: map[string]string{"a.txt": "z"},
		},
		"created, removed, moved": {
			do: func(h *house) {
				h.write("new/n.txt", "n")
				h.must(os.Remove(h.at("b.txt")))
				h.must(os.Rename(h.at("dir"), h.at("dir2")))
			},
			want: []string{
				"b.txt: b -rw-r--r-- > none", "dir/c.txt: c -rw-r--r-- > none", "dir2/c.txt: none > c -rw-r--r--",
				"new/n.txt: none > n -rw-r--r--",
			},
			files: map[string]string{"new/n.txt": "n", "b.txt": "-", "dir/c.txt": "-", "dir2/c.txt": "c"},
		},
		"mode": {
			do:   func(h *house) { h.must(os.Chmod(h.at("a.txt"), 0o755)) },
			want: []string{"a.txt: a -rw-r--r-- > a -rwxr-xr-x"},
		},
		"protected file": {
			do:    func(h *house) { h.write("DEL/_STATUS.md", "mine"); h.write("DEL/work.md", "more") },
			want:  []string{"DEL/_STATUS.md: restored", "DEL/work.md: work -rw-r--r-- > more -rw-r--r--"},
			files: map[string]string{"DEL/work.md": "more"},
		},
		"protected mode": {
			do:   func(h *house) { h.must(os.Chmod(h.at("DEL/_STATUS.md"), 0o777)) },
			want: []string{"DEL/_STATUS.md: restored"},
		},
		"protected file through a hard link": {
			do: func(h *house) {
				h.must(os.Link(h.at("DEL/_STATUS.md"), h.at("x")))
				h.write("x", "mine")
			},
			want:  []string{"DEL/_STATUS.md: restored", "x: none > mine -rw-r--r--"},
			files: map[string]string{"x": "mine"},
		},
		"a protected file's folder moved, a link in its place": {
			do: func(h *house) {
				h.must(os.Rename(h.at("DEL"), h.at("OLD")))
				h.must(os.Symlink("OLD", h.at("DEL")))
			},
			want: []string{
				"DEL/_STATUS.md: restored", "DEL/work.md: work -rw-r--r-- > none", "DEL: restored", "OLD/_STATUS.md: restored",
				"OLD/work.md: none > work -rw-r--r--",
			},
			files: map[string]string{"DEL/work.md": "-", "OLD/work.md": "work"},
		},
		"protected folder removed": {
			do:   func(h *house) { h.must(os.RemoveAll(h.at("DEL"))) },
			want: []string{"DEL/_STATUS.md: restored", "DEL/work.md: work -rw-r--r-- > none"}, files: map[string]string{"DEL/work.md": "-"},
		},
		"protected file became a folder": {
			do: func(h *house) {
				h.must(os.Remove(h.at("DEL/_STATUS.md")))
				h.must(os.Mkdir(h.at("DEL/_STATUS.md"), 0o755))
			},
			want: []string{"DEL/_STATUS.md: restored"},
		},
		"protected file created": {
			do:   func(h *house) { h.write("dir/_STATUS.md", "mine") },
			want: []string{"dir/_STATUS.md: restored"},
		},
		"a human zone": {
			do: func(h *house) { h.write("zone.md", "mine\n") }, want: []string{"zone.md: restored"},
		},
		"beside a human zone": {
			do:    func(h *house) { h.write("zone.md", "HUMAN says\nmine\n") },
			want:  []string{"zone.md: HUMAN says\nrest\n -rw-r--r-- > HUMAN says\nmine\n -rw-r--r--"},
			files: map[string]string{"zone.md": "HUMAN says\nmine\n"},
		},
		"git": {
			do: func(h *house) {
				h.write(".git/config", "[core]\n fsmonitor = evil\n")
				h.write(".git/hooks/post-checkout", "evil")
				h.must(os.Remove(h.at(".git/hooks/pre-commit")))
				h.write(".git/HEAD", "other")
				h.write(".git/objects/y", "y")
			},
			want:  []string{".git/config: restored", ".git/hooks/post-checkout: restored", ".git/hooks/pre-commit: restored"},
			files: map[string]string{".git/HEAD": "other", ".git/objects/y": "y"},
		},
		"git exchanged": {
			do: func(h *house) {
				h.must(os.Rename(h.at(".git"), h.at("git2")))
				h.write(".git/config", "[core]\n fsmonitor = evil\n")
			},
			want: []string{
				".git/config: restored", ".git/hooks/pre-commit: restored", "git2/HEAD: none > ref -rw-r--r--", "git2/config: none > [core]\n -rw-r--r--",
				"git2/hooks/pre-commit: none > old -rw-r--r--", "git2/objects/x: none > x -rw-r--r--",
			},
			files: map[string]string{".git/HEAD": "-", ".git/objects/x": "-", "git2/HEAD": "ref", "git2/config": "[core]\n", "git2/hooks/pre-commit": "old", "git2/objects/x": "x"},
		},
		"a new repository": {
			do: func(h *house) {
				h.write("sub/.git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.com/x\n")
				h.write("sub/.git/hooks/pre-push.sample", "x")
				h.write("evil/.git/config", "[core]\n\tsshCommand = evil\n")
				h.write("evil/.git/hooks/pre-push", "evil")
			},
			want: []string{
				"evil/.git/config: restored", "evil/.git/hooks/pre-push: restored",
				"sub/.git/config: none > [core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.com/x\n -rw-r--r--",
				"sub/.git/hooks/pre-push.sample: none > x -rw-r--r--",
			},
			files: map[string]string{
				"sub/.git/config":                "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.com/x\n",
				"sub/.git/hooks/pre-push.sample": "x",
			},
		},
		"links": {
			do: func(h *house) {
				h.must(os.Symlink("/etc/passwd", h.at("out")))
				h.must(os.Symlink("../../..", h.at("dir/up")))
				h.must(os.Symlink("/usr/bin/env", h.at("tool")))
				h.must(os.Symlink("a.txt", h.at("in")))
				h.must(os.Symlink("/nowhere/x", h.at("dangling")))
			},
			want: []string{
				"dangling: restored", "dir/up: restored", "in: none > a.txt Lrwxrwxrwx", "out: restored", "tool: none > /usr/bin/env Lrwxrwxrwx",
			},
			files: map[string]string{"in": "-> a.txt", "tool": "-> /usr/bin/env"},
		},
		"the project's records": {
			do:    func(h *house) { h.write(".belay/sessions/s/log", "more") },
			files: map[string]string{".belay/sessions/s/log": "more"},
		},
		"everything removed": {
			do: func(h *house) {
				entries, err := os.ReadDir(h.dir)
				h.must(err)
				for _, e := range entries {
					h.must(os.RemoveAll(h.at(e.Name())))
				}
			},
			want: []string{
				".git/config: restored", ".git/hooks/pre-commit: restored", "DEL/_STATUS.md: restored", "DEL/work.md: work -rw-r--r-- > none",
				"a.txt: a -rw-r--r-- > none", "b.txt: b -rw-r--r-- > none", "dir/c.txt: c -rw-r--r-- > none", "zone.md: restored",
			},
			files: map[string]string{
				".git/HEAD": "-", ".git/objects/x": "-", "DEL/work.md": "-", "a.txt": "-", "b.txt": "-", "dir/c.txt": "-", ".belay/sessions/s/log": "-",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, plain, "_STATUS.md")
			r := h.during(func() { test.do(h) })
			if diff := cmp.Diff(test.want, h.lines(r)); diff != "" {
				t.Errorf("changes (-want +got):\n%s%v", diff, r.Notes)
			}
			files := maps.Clone(plain)
			for p, text := range test.files {
				if files[p] = text; text == "-" {
					delete(files, p)
				}
			}
			if diff := cmp.Diff(files, h.all()); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			// A second command that does nothing changes nothing.
			if again := h.during(func() {}); len(again.Changes)+len(again.Notes) > 0 {
				t.Errorf("afterwards: %v %v", h.lines(again), again.Notes)
			}
		})
	}
}

// What the command made of folders is on record, so that it can be taken back.
func TestFoldersThatACommandMade(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain)
	r := h.during(func() {
		h.write("dir/x", "x")
		h.write("new/in/y", "y")
		h.write("new/z", "z")
		h.must(os.MkdirAll(h.at("none/at/all"), 0o755))
		h.must(os.Remove(h.at("b.txt")))
		h.write("b.txt/under", "file to folder")
	})
	got := map[string]int{}
	for _, c := range r.Changes {
		got[c.Path] = c.Folders
		if c.AfterMode.IsDir() != (c.Path == "none/at/all") {
			t.Errorf("%+v", c)
		}
	}
	want := map[string]int{"dir/x": 0, "new/in/y": 2, "new/z": 1, "none/at/all": 2, "b.txt": 0, "b.txt/under": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Covers: workspace 9.5
func TestTheChangedVersionIsKept(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain, "_STATUS.md")
	r := h.during(func() { h.write("DEL/_STATUS.md", "mine") })
	found, err := filepath.Glob(filepath.Join(h.state, asideDir, "*", "DEL", "_STATUS.md"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil || string(data) != "mine" {
		t.Errorf("%q %v", data, err)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "DEL/_STATUS.md was restored") || !strings.Contains(r.Notes[0], filepath.Dir(filepath.Dir(found[0]))) {
		t.Errorf("notes %q", r.Notes)
	}
	if c := r.Changes[0]; c.Before == "" || c.After == "" || c.Before == c.After {
		t.Errorf("%+v", c)
	}
}

func TestClosedFolder(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain, "_STATUS.md")
	r := h.during(func() {
		h.write("DEL/_STATUS.md", "mine")
		h.must(os.Chmod(h.at("DEL"), 0))
	})
	if info, err := os.Stat(h.at("DEL")); err != nil || os.Geteuid() != 0 && info.Mode().Perm() != 0o755 {
		t.Error(info.Mode(), err)
	}
	if got := h.lines(r); len(got) != 1 || got[0] != "DEL/_STATUS.md: restored" {
		t.Error(got)
	}
}

func TestProjectMovedOrRemoved(t *testing.T) {
	t.Parallel()
	t.Run("moved", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, plain, "_STATUS.md")
		r := h.during(func() { h.must(os.Rename(h.dir, h.dir+"2")) })
		if !r.Moved || r.Gone || len(r.Changes) != 0 {
			t.Errorf("%+v", r)
		}
		if diff := cmp.Diff(plain, h.all()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("removed", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, plain, "_STATUS.md")
		r := h.during(func() { h.must(os.RemoveAll(h.dir)) })
		if !r.Gone {
			t.Errorf("%+v", r)
		}
		want := maps.Clone(plain)
		for _, lost := range []string{".git/HEAD", ".git/objects/x", ".belay/sessions/s/log"} {
			delete(want, lost)
		}
		if diff := cmp.Diff(want, h.all()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTooLargeToKeep(t *testing.T) {
	t.Parallel()
	h := newHouse(t, map[string]string{"big": strings.Repeat("x", 2<<20), "DEL/_STATUS.md": strings.Repeat("y", 2<<20)}, "_STATUS.md")
	r := h.during(func() { h.write("big", "small"); h.write("DEL/_STATUS.md", "small") })
	if len(r.Changes) != 2 || r.Changes[0].Lost == "" || r.Changes[1].Lost == "" {
		t.Errorf("%+v", r.Changes)
	}
}

// TestKeepRestarts fills what is kept several times over.
func TestKeepRestarts(t *testing.T) {
	t.Parallel()
	h := newHouse(t, map[string]string{"a": "0", "b": "b"})
	h.w.o.KeepBytes = 4096
	for i := range 20 {
		text := fmt.Sprintf("%d%s", i, strings.Repeat("x", 1000))
		r := h.during(func() { h.write("a", text) })
		if len(r.Changes) != 1 || r.Changes[0].Lost != "" {
			t.Fatalf("round %d: %+v", i, r.Changes)
		}
	}
}

func TestTooManyFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t, plain)
	h.w.o.MaxFiles = 3
	if _, err := h.w.Begin(t.Context(), h.place); err == nil {
		t.Error("a project with too many files is watched")
	}
}

func BenchmarkBegin50000(b *testing.B) {
	h := newHouse(b, manyFiles())
	h.during(func() {})
	for b.Loop() {
		h.during(func() {})
	}
}

func manyFiles() map[string]string {
	files := map[string]string{}
	for i := range 50_000 {
		files[fmt.Sprintf("d%d/e%d/f%d.txt", i%50, i%500, i)] = "text"
	}
	return files
}
