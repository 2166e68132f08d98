package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"belay/internal/tool"
)

// Where no overlay can be laid, or it would hide what is mounted inside the project,
// the project is read-only for commands that do not say that they write.
func TestProjectsWithoutOverlay(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can mount what this needs")
	}
	mount := func(source, target, kind, options string) {
		t.Helper()
		must(t, unix.Mount(source, target, kind, 0, options))
		t.Cleanup(func() { must(t, unix.Unmount(target, unix.MNT_DETACH)) })
	}
	// over puts a file system in the place of the project.
	over := func(w *tool.Environment, lay func()) {
		t.Helper()
		must(t, w.Root.Close())
		lay()
		root, err := os.OpenRoot(w.Project)
		must(t, err)
		t.Cleanup(func() { _ = root.Close() })
		w.Root = root
		must(t, os.Mkdir(filepath.Join(w.Project, "in side"), 0o755))
		must(t, os.WriteFile(filepath.Join(w.Project, "in side", "file"), []byte("mounted"), 0o644))
	}
	for name, prepare := range map[string]func(base string, w *tool.Environment){
		"a mount inside": func(_ string, w *tool.Environment) {
			inside := filepath.Join(w.Project, "in side")
			must(t, os.Mkdir(inside, 0o755))
			mount("none", inside, "tmpfs", "size=1m")
			must(t, os.WriteFile(filepath.Join(inside, "file"), []byte("mounted"), 0o644))
		},
		"an overlay itself": func(base string, w *tool.Environment) {
			for _, dir := range []string{"lower", "upper", "work"} {
				must(t, os.Mkdir(filepath.Join(base, dir), 0o755))
			}
			over(w, func() {
				mount("none", w.Project, "overlay", "lowerdir="+base+"/lower,upperdir="+base+"/upper,workdir="+base+"/work")
			})
		},
		// It takes an overlay, in which no folder can be removed.
		"a file system without extended attributes": func(_ string, w *tool.Environment) {
			over(w, func() { mount("none", w.Project, "ramfs", "mode=755") })
		},
		// The kernel treats it as it does those that are on a network.
		"a file system of a program": func(base string, w *tool.Environment) {
			program, err := exec.LookPath("bindfs")
			if _, missing := os.Stat("/dev/fuse"); missing != nil || err != nil {
				t.Logf("skipped, not passed: FUSE (%v, %v)", missing, err)
				must(t, os.Mkdir(filepath.Join(w.Project, "in side"), 0o755))
				mount("none", filepath.Join(w.Project, "in side"), "tmpfs", "size=1m")
				must(t, os.WriteFile(filepath.Join(w.Project, "in side", "file"), []byte("mounted"), 0o644))
				return
			}
			must(t, os.Mkdir(filepath.Join(base, "source"), 0o755))
			over(w, func() {
				if out, err := exec.CommandContext(t.Context(), program, filepath.Join(base, "source"), w.Project).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				t.Cleanup(func() { must(t, unix.Unmount(w.Project, unix.MNT_DETACH)) })
			})
		},
	} {
		base := tempDir(t)
		w := newPlace(t, base)
		prepare(base, w)
		must(t, os.WriteFile(filepath.Join(w.Project, "_STATUS.md"), []byte("state"), 0o644))
		r, err := callShell(t, shared, w, input{Command: `cat "in side/file"; echo new >new; echo mine >_STATUS.md`})
		if err != nil || !strings.HasPrefix(r.Text, "mounted") || !strings.Contains(r.Text, "the project was read-only for it") {
			t.Errorf("%s: %q, %v", name, r.Text, err)
		}
		if r, err := callShell(t, shared, w, input{Command: `echo more >>"in side/file"; echo x >new`, Write: true}); err != nil || r.Failed {
			t.Errorf("%s: %q, %v", name, r.Text, err)
		}
		for file, want := range map[string]string{"new": "x\n", "_STATUS.md": "state", "in side/file": "mountedmore\n"} {
			if got, err := os.ReadFile(filepath.Join(w.Project, file)); string(got) != want {
				t.Errorf("%s: %s holds %q (%v), not %q", name, file, got, err, want)
			}
		}
		if left, err := os.ReadDir(filepath.Join(w.Project, ".belay", "tmp")); len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}

// A trouble that passes leaves no project without its overlay.
func TestOverlayIsTriedAgain(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w, s := newPlace(t, base), newShell(t, base, Options{})
	put(t, w.Project, "f", "old")
	must(t, os.Rename(w.Scratch, w.Scratch+".away"))
	must(t, os.WriteFile(w.Scratch, nil, 0o600))
	if _, err := s.Prepare(t.Context(), w, []byte(`{"command": "echo new >f"}`)); err == nil || !strings.Contains(err.Error(), "prepare the scratch folder") {
		t.Errorf("without a scratch folder it is %v", err)
	}
	must(t, os.Remove(w.Scratch))
	must(t, os.Rename(w.Scratch+".away", w.Scratch))
	c, err := s.Prepare(t.Context(), w, []byte(`{"command": "echo new >f"}`))
	must(t, err)
	if !c.Effect().Deferred {
		t.Error("it would change the project without a review")
	}
}
