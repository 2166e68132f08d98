package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// host is the target that this machine runs.
var host = target{runtime.GOOS, runtime.GOARCH}

// made is a release for this machine.
func made(t *testing.T) (string, []string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "dist")
	if err := run(t.Context(), "..", out, host.String()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return out, names
}

// command runs a program and returns what it says.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A release holds what docs/install.md says: it checks, unpacks, installs, works, and goes
// without a trace.
func TestRelease(t *testing.T) {
	if host.system != "linux" {
		t.Skip("packages are for Linux")
	}
	out, names := made(t)
	for _, end := range []string{".tar.gz", ".deb", ".rpm", "_oci.tar", ".cdx.json", checksumFile} {
		if len(one(names, end)) != 1 {
			t.Errorf("%d files end in %s: %q", len(one(names, end)), end, names)
		}
	}
	command(t, out, "sha256sum", "--check", "--strict", checksumFile)
	t.Run("again", func(t *testing.T) { equal(t, out) })
	t.Run("archive", func(t *testing.T) { unpacked(t, filepath.Join(out, one(names, ".tar.gz")[0])) })
	t.Run("deb", func(t *testing.T) { installed(t, filepath.Join(out, one(names, ".deb")[0]), debian) })
	t.Run("rpm", func(t *testing.T) { installed(t, filepath.Join(out, one(names, ".rpm")[0]), redHat) })
	t.Run("debian", func(t *testing.T) { inDebian(t, filepath.Join(out, one(names, ".deb")[0])) })
	t.Run("first start", func(t *testing.T) { firstStart(t, out, one(names, ".tar.gz")[0]) })
	t.Run("image", func(t *testing.T) { imageIs(t, filepath.Join(out, one(names, "_oci.tar")[0])) })
}

func one(names []string, end string) []string {
	var all []string
	for _, name := range names {
		if strings.HasSuffix(name, end) {
			all = append(all, name)
		}
	}
	return all
}

// equal makes the release once more: its checksums are the same.
func equal(t *testing.T, out string) {
	again, _ := made(t)
	want, err := os.ReadFile(filepath.Join(out, checksumFile))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(again, checksumFile))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("a second release has\n%s\nthe first\n%s", got, want)
	}
}

func unpacked(t *testing.T, archive string) {
	dir := t.TempDir()
	command(t, dir, "tar", "-xzf", archive)
	folder := filepath.Join(dir, strings.TrimSuffix(filepath.Base(archive), ".tar.gz"))
	for _, name := range []string{
		"LICENSE", "README.md", "CHANGELOG.md", "install.md", "man/belay.1", "man/belay-turn.1", "completions/belay.bash", "completions/_belay",
		"completions/belay.fish", "completions/belay.ps1", "systemd/belay.service", "systemd/belay.socket", "systemd/user/belay.service",
	} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	works(t, filepath.Join(folder, "belay"))
}

var versionLine = regexp.MustCompile(`^belay \S+ \(commit [0-9a-f]{12}, 20\S+Z, go1\.`)

// works takes a first turn with an installed program.
func works(t *testing.T, program string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	if said := command(t, home, program, "version"); !versionLine.MatchString(said) {
		t.Errorf("it says %q", said)
	}
	if said := command(t, home, program, "turn", "hello there"); !strings.Contains(said, "hello there") {
		t.Errorf("a turn says %q", said)
	}
	if deps := command(t, home, program, "version", "--dependencies"); !strings.Contains(deps, "github.com/spf13/cobra") {
		t.Errorf("it lists %q", deps)
	}
}

// imageIs reads an image as an OCI layout.
func imageIs(t *testing.T, file string) {
	dir := t.TempDir()
	command(t, dir, "tar", "-xf", file)
	var index struct {
		Manifests []struct {
			Digest   string
			Platform struct{ OS, Architecture string }
		}
	}
	read := func(v any, name string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, v); err != nil {
			t.Fatal(err)
		}
	}
	blob := func(digest string) string { return "blobs/" + strings.Replace(digest, ":", "/", 1) }
	read(&index, "index.json")
	if len(index.Manifests) != 1 || index.Manifests[0].Platform.OS != host.system || index.Manifests[0].Platform.Architecture != host.arch {
		t.Fatalf("%+v", index)
	}
	var manifest struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}
	read(&manifest, blob(index.Manifests[0].Digest))
	var config struct {
		Config struct {
			User       string
			Entrypoint []string
		}
	}
	read(&config, blob(manifest.Config.Digest))
	if config.Config.User != imageUser || len(config.Config.Entrypoint) != 1 {
		t.Errorf("%+v", config)
	}
	layer := filepath.Join(dir, filepath.FromSlash(blob(manifest.Layers[0].Digest)))
	rootfs := t.TempDir()
	command(t, rootfs, "tar", "-xzf", layer, "--no-same-owner")
	works(t, filepath.Join(rootfs, config.Config.Entrypoint[0]))
}
