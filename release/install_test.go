package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// manager is a package manager that installs into the root of another system.
type manager struct {
	program string
	// before makes what the manager wants to find in an empty root.
	before          []string
	install, remove func(root, file string) []string
}

var debian = manager{
	program: "dpkg", before: []string{"var/lib/dpkg/updates", "var/lib/dpkg/info"},
	install: func(root, file string) []string {
		return []string{"--root=" + root, "--force-not-root", "--force-depends", "--force-script-chrootless", "--log=" + root + "/log", "--install", file}
	},
	remove: func(root, _ string) []string {
		return []string{"--root=" + root, "--force-not-root", "--force-depends", "--log=" + root + "/log", "--purge", "belay"}
	},
}

var redHat = manager{
	program: "rpm",
	install: func(root, file string) []string {
		return []string{"--root", root, "--dbpath", "/var/lib/rpm", "--nodeps", "--noscripts", "--install", file}
	},
	remove: func(root, _ string) []string {
		return []string{"--root", root, "--dbpath", "/var/lib/rpm", "--nodeps", "--noscripts", "--erase", "belay"}
	},
}

// installed installs a package into an empty root, uses it there, and removes it.
func installed(t *testing.T, file string, m manager) {
	if _, err := exec.LookPath(m.program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no " + m.program + " here")
	}
	root := t.TempDir()
	for _, dir := range m.before {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if m.program == "dpkg" {
		for _, name := range []string{"status", "available"} {
			if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	command(t, root, m.program, m.install(root, file)...)
	for _, name := range []string{
		"usr/share/man/man1/belay.1", "usr/share/bash-completion/completions/belay", "usr/share/zsh/vendor-completions/_belay",
		"usr/lib/systemd/system/belay.service", "usr/lib/systemd/user/belay.service", "usr/lib/sysusers.d/belay.conf",
	} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	works(t, filepath.Join(root, "usr/bin/belay"))
	command(t, root, m.program, m.remove(root, file)...)
	for _, name := range left(t, root) {
		t.Errorf("%s is left after the removal", name)
	}
}

// left are the files of the package that a removal left.
func left(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Join(root, "usr"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if filepath.Base(filepath.Dir(path)) != "rpm" {
			names = append(names, path)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return names
}
