package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// checksumFile has the checksums of all other files; sha256sum -c checks it.
const checksumFile = "checksums.txt"

// entry is a file in an archive.
type entry struct {
	name, source string
	mode         os.FileMode
}

// make builds the program of a target, and packs it.
func (r *release) make(ctx context.Context, t target) error {
	program, err := r.build(ctx, t)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("belay_%s_%s_%s", r.version, t.system, t.arch)
	entries, err := r.entries(t, program, name)
	if err != nil {
		return err
	}
	if err := r.writeBOM(program, name+".cdx.json"); err != nil {
		return err
	}
	if t.system == "windows" {
		return r.write(name+".zip", func(w io.Writer) error { return packZip(w, entries, r.time) })
	}
	if err := r.write(name+".tar.gz", func(w io.Writer) error { return packTar(w, entries, r.time) }); err != nil {
		return err
	}
	if t.system != "linux" {
		return nil
	}
	r.images = append(r.images, t)
	return r.packages(t, program)
}

// entries are the files of an archive, in one folder.
func (r *release) entries(t target, program, folder string) ([]entry, error) {
	all := []entry{{folder + "/" + t.program(), program, 0o755}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "docs/install.md"} {
		all = append(all, entry{folder + "/" + filepath.Base(name), filepath.Join(r.root, filepath.FromSlash(name)), 0o644})
	}
	trees := map[string]string{"": filepath.Join(r.work, "share")}
	if t.system == "linux" {
		trees["systemd/"] = "files/systemd"
	}
	for prefix, tree := range trees {
		err := filepath.WalkDir(tree, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(tree, path)
			all = append(all, entry{folder + "/" + prefix + filepath.ToSlash(rel), path, 0o644})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// write makes a file of the release.
func (r *release) write(name string, pack func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	if err := errors.Join(pack(f), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func packTar(w io.Writer, entries []entry, at time.Time) error {
	packed := gzip.NewWriter(w) // its header has no time and no name
	t := tar.NewWriter(packed)
	for _, e := range entries {
		info, err := os.Stat(e.source)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: info.Size(), ModTime: at, Format: tar.FormatPAX}
		if err := errors.Join(t.WriteHeader(h), copyFile(t, e.source)); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), packed.Close())
}

func packZip(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if err := copyFile(f, e.source); err != nil {
			return err
		}
	}
	return z.Close()
}

func copyFile(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// checksums writes the sums of all files of the release.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries {
		sum := sha256.New()
		if err := copyFile(sum, filepath.Join(r.out, e.Name())); err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sum.Sum(nil), e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, checksumFile), []byte(text.String()), 0o644)
}
