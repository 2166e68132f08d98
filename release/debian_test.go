package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What is in the Debian beside its smallest form, so that systemd runs in it, and logs
// people in.
const debianPackages = "systemd,systemd-sysv,dbus,libpam-systemd"

// How long the parts may take, and with them a network or a system that hangs.
const (
	debootstrapLimit = 4 * time.Minute
	trialLimit       = 3 * time.Minute
)

// inDebian installs the package in a Debian, uses it there as a person and as a service,
// upgrades and removes it: testdata/debian.sh. The Debian is a bare one that debootstrap
// makes, kept in the cache folder for the next time. Without a network it is this machine's
// own system, without its people and what was added to it. systemd runs in it; where
// containers cannot be started, the trial runs without systemd.
func inDebian(t *testing.T, deb string) {
	for _, program := range []string{"dpkg", "unshare", "systemd-nspawn", "systemd-analyze", "debootstrap"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, "there is no "+program+" here")
		}
	}
	if os.Getuid() != 0 {
		missing(t, "only root can start a system")
	}
	root := debianRoot(t)
	in := t.TempDir()
	copies := map[string]string{"belay.deb": deb}
	for _, name := range []string{"start.sh", "debian.sh", "trial.service"} {
		copies[name] = filepath.Join("testdata", name)
	}
	for to, from := range copies {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(in, to), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, how := range []string{"boot", "chroot"} {
		began, err := trial(t, root, in, how)
		if began && err != nil {
			t.Fatal(err)
		}
		if began {
			t.Logf("the trial ran in %s with %s", root, how)
			return
		}
		t.Logf("%s did not get to the trial: %v", how, err)
	}
	missing(t, "no way to start a system works here")
}

// missing ends a test that this machine cannot run. In CI each must run.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// trial starts the system, and reports whether the trial in it began, and what came of it.
func trial(t *testing.T, root, in, how string) (began bool, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), trialLimit)
	defer cancel()
	out := t.TempDir()
	// It is killed as a whole: unshare and the script become systemd-nspawn, or the trial.
	cmd := exec.CommandContext(ctx, "unshare", "--mount", "sh", filepath.Join(in, "start.sh"), root, in, out, how)
	cmd.WaitDelay = 10 * time.Second
	said, err := cmd.CombinedOutput()
	if _, statErr := os.Stat(filepath.Join(out, "begun")); statErr != nil {
		return false, fmt.Errorf("%w\n%s", err, said)
	}
	status, _ := os.ReadFile(filepath.Join(out, "status")) // without one it did not get to its end
	if string(status) == "0\n" {
		return true, nil
	}
	log, _ := os.ReadFile(filepath.Join(out, "log"))
	left, _ := os.ReadFile(filepath.Join(out, "left"))
	return true, fmt.Errorf("the trial ended with %q, %v\n%s\nleft: %s", status, err, log, left)
}

// debianRoot is the folder of a Debian, which stays as it is.
func debianRoot(t *testing.T) string {
	suite := "bookworm"
	if release, err := os.ReadFile("/etc/os-release"); err == nil && strings.Contains(string(release), "\nID=debian\n") {
		for line := range strings.Lines(string(release)) {
			if name, ok := strings.CutPrefix(line, "VERSION_CODENAME="); ok {
				suite = strings.TrimSpace(name)
			}
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	cache = filepath.Join(cache, "belay-release-test")
	root := filepath.Join(cache, "debian-"+suite+"-"+strings.ReplaceAll(debianPackages, ",", "-"))
	if _, err := os.Stat(root); err == nil {
		return root
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	made, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(made)
	ctx, cancel := context.WithTimeout(t.Context(), debootstrapLimit)
	defer cancel()
	began := time.Now()
	// What it mounts and starts ends with it.
	cmd := exec.CommandContext(ctx, "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
		"debootstrap", "--variant=minbase", "--include="+debianPackages, suite, filepath.Join(made, "root"))
	cmd.WaitDelay = 10 * time.Second
	if said, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		t.Logf("debootstrap made no Debian (is there a network?), so this machine's own system is used: %v\n%s", err, lines[len(lines)-1])
		return "/"
	}
	t.Logf("debootstrap made a Debian in %v", time.Since(began).Round(time.Second))
	if err := os.Rename(filepath.Join(made, "root"), root); err != nil {
		if _, statErr := os.Stat(root); statErr != nil { // another test may have been faster
			t.Fatal(err)
		}
	}
	return root
}
