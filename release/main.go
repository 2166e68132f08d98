// Command release makes the files of a release: an archive for each system, packages for
// Debian and Red Hat, a container image in the OCI layout, a bill of materials, and the
// checksums of all of these. `make release` runs it.
//
//	go run . [--root DIR] [--out DIR] [--targets OS/ARCH,...]
//
// Version and date come from Git, and no other time goes into a file: two runs on one
// commit with one version of Go give the same bytes. It is a module of its own, so that
// what makes packages is no dependency of belay.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// allTargets are the systems that a release is made for.
var allTargets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := flag.String("root", "..", "the repository")
	out := flag.String("out", "../dist", "the folder of the release, which is made anew")
	names := flag.String("targets", "", "make only these systems, as in linux/amd64,windows/arm64")
	flag.Parse()
	if err := run(ctx, *root, *out, *names); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, out, names string) (err error) {
	targets, err := chosen(names)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "belay-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if out, err = emptied(out); err != nil {
		return err
	}
	c, err := readCommit(ctx, root)
	if err != nil {
		return err
	}
	r := &release{commit: c, root: root, out: out, work: work}
	if err := r.documents(ctx); err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.make(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		fmt.Println("made", t)
	}
	return errors.Join(r.image(), r.checksums())
}

// chosen are the targets that a flag names, all of them without it.
func chosen(names string) ([]target, error) {
	if names == "" {
		return allTargets, nil
	}
	var targets []target
	for name := range strings.SplitSeq(names, ",") {
		system, arch, _ := strings.Cut(name, "/")
		t := target{system, arch}
		if !slices.Contains(allTargets, t) {
			return nil, fmt.Errorf("%q is none of %v", name, allTargets)
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// emptied is the folder of the release, absolute and empty. A folder that holds something
// else is left alone.
func emptied(out string) (string, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(out, checksumFile)); len(entries) > 0 && err != nil {
		return "", fmt.Errorf("%s is not empty and no whole release; remove it, or name another folder with --out", out)
	}
	return out, errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755))
}
