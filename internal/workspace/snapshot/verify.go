package snapshot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/finding"
)

// maxManifest bounds what is read of a manifest, in bytes.
const maxManifest = 64 << 20

// Verify checks a snapshot against its manifest: every file that it lists is there
// with those bytes, and nothing else is. Root is the absolute path of the project,
// dir the snapshot relative to it, with slashes. A snapshot without a manifest,
// such as one that another program made, is one finding. The error is that of ctx.
func Verify(ctx context.Context, root, dir string) ([]finding.Finding, error) {
	v := verifier{ctx: ctx, at: dir, listed: map[string]bool{}}
	err := v.run(root)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		v.find(&ruleUnreadable, "", 0, "the snapshot cannot be checked: %s", reasonOf(err))
	}
	finding.Sort(v.found)
	return v.found, nil
}

type verifier struct {
	ctx    context.Context //nolint:containedctx // it lives for one call
	at     string
	dir    *os.Root
	listed map[string]bool
	found  []finding.Finding
}

func (v *verifier) find(rule *finding.Rule, name string, line int, format string, args ...any) {
	v.found = append(v.found, rule.At(path.Join(v.at, name), line, format, args...))
}

func (v *verifier) run(root string) error {
	project, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer project.Close()
	if v.dir, err = project.OpenRoot(v.at); err != nil {
		return err
	}
	defer v.dir.Close()
	data, _, err := durable.ReadFile(v.dir, ManifestFile, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		v.find(&ruleNoManifest, "", 0, "the snapshot has no %s", ManifestFile)
		return nil
	}
	if err != nil {
		return err
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if err := v.ctx.Err(); err != nil {
			return err
		}
		f, ok := readEntry(strings.TrimSuffix(line, "\n"))
		if !ok || v.listed[f.Path] {
			v.find(&ruleManifest, ManifestFile, n, "the line is none of a manifest, or names a file again")
			continue
		}
		v.listed[f.Path] = true
		v.file(f)
	}
	return v.added()
}

// file checks one file that the manifest lists.
func (v *verifier) file(f File) {
	info, err := v.dir.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.find(&ruleMissing, f.Path, 0, "the file is missing")
		return
	case err == nil && !info.Mode().IsRegular():
		v.find(&ruleChanged, f.Path, 0, "the file is no regular file any more")
		return
	}
	sum, err := sumOf(v.ctx, v.dir, f.Path)
	switch {
	case err != nil:
		v.find(&ruleUnreadable, f.Path, 0, "the file cannot be checked: %s", reasonOf(err))
	case sum != f.SHA256:
		v.find(&ruleChanged, f.Path, 0, "the file has other bytes than when it was published")
	}
}

// added looks for what the manifest does not list.
func (v *verifier) added() error {
	return fs.WalkDir(v.dir.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err := cmp.Or(err, v.ctx.Err()); err != nil {
			return err
		}
		if !e.IsDir() && name != ManifestFile && !v.listed[name] {
			v.find(&ruleAdded, name, 0, "the file was not there when the snapshot was published")
		}
		return nil
	})
}

func sumOf(ctx context.Context, dir *os.Root, name string) (string, error) {
	f, _, err := durable.OpenRegular(dir, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, reader{ctx, f}); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// reasonOf is an error without the paths of this machine.
func reasonOf(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return strings.ReplaceAll(at.Err.Error(), string(filepath.Separator), "/")
	}
	return "it is larger than what is read of one, or no regular file"
}
