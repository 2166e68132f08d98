package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/finding"
)

// seal takes stock of what was built, makes it durable and read-only, and writes
// the manifest. It refuses what a snapshot cannot hold.
func (p *publisher) seal(ctx context.Context, dir *os.Root) (s Snapshot, err error) {
	var wrong problems
	var files []File
	var total int64
	folders := []string{"."}
	err = fs.WalkDir(dir.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
		case !e.IsDir() && !e.Type().IsRegular():
			wrong.add(finding.Shown(name), "is no regular file; a snapshot holds nothing else")
		case name == ManifestFile:
			wrong.add(name, "is the name of the manifest")
		case len(files)+len(folders) > p.o.MaxFiles: // the first folder is the snapshot itself
			wrong.add(finding.Shown(name), tooMany(p.o))
			return fs.SkipAll
		case e.IsDir():
			folders = append(folders, name)
		default:
			f, err := settle(ctx, dir, name)
			if err != nil {
				return err
			}
			if total += f.Bytes; total > p.o.MaxBytes {
				wrong.add(finding.Shown(name), fmt.Sprintf("goes beyond the %d bytes that a snapshot holds (snapshot.bytes)", p.o.MaxBytes))
				return fs.SkipAll
			}
			files = append(files, f)
		}
		return nil
	})
	if err == nil && len(files) == 0 && len(wrong) == 0 {
		wrong.add("snapshot", "would be empty")
	}
	if e := wrong.err(); err == nil && e != nil {
		return Snapshot{}, e
	}
	s = Snapshot{Files: files, Bytes: total}
	if err == nil {
		s.SHA256, err = p.close(ctx, dir, files, folders)
	}
	switch {
	case err == nil:
		return s, nil
	case ctx.Err() != nil:
		return Snapshot{}, ctx.Err()
	}
	return Snapshot{}, storage("the snapshot cannot be made", err)
}

// settle makes a file durable and read-only, and returns what it holds.
func settle(ctx context.Context, dir *os.Root, name string) (File, error) {
	f, info, err := durable.OpenRegular(dir, name)
	if err != nil {
		return File{}, err
	}
	defer f.Close() // the sync said whether it is on disk
	sum := sha256.New()
	n, err := io.Copy(sum, reader{ctx, f})
	if err == nil {
		err = f.Chmod(info.Mode().Perm() &^ 0o222)
	}
	if err == nil {
		err = durable.FlushOf(f, filepath.Join(dir.Name(), name), durable.Snapshot).Sync()
	}
	return File{Path: name, SHA256: hex.EncodeToString(sum.Sum(nil)), Bytes: n}, err
}

// close writes the manifest, whose hash it returns, and makes the folders durable.
func (p *publisher) close(ctx context.Context, dir *os.Root, files []File, folders []string) (hash string, err error) {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var manifest strings.Builder
	for _, f := range files {
		writeEntry(&manifest, f)
	}
	if err := durable.WriteNew(dir, ManifestFile, []byte(manifest.String()), 0o444, durable.Snapshot); err != nil {
		return "", err
	}
	for _, folder := range slices.Backward(folders) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := durable.FlushDir(dir, path.Clean(folder), durable.Snapshot); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256([]byte(manifest.String()))
	return hex.EncodeToString(sum[:]), nil
}

// reader ends a long copy with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}
