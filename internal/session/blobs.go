package session

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
)

// Blobs is a project's content store: bytes under their SHA-256, stored once
// however often they are attached, immutable. It is safe for concurrent use.
type Blobs struct {
	store   *Store
	project string

	mu sync.Mutex
	// fresh are blobs that were put and may not be on disk yet.
	fresh map[string]bool
}

// Blobs returns a project's blob store. Its folder is made by the first Put.
func (s *Store) Blobs(projectRoot string) (*Blobs, error) {
	if !filepath.IsAbs(projectRoot) {
		return nil, fault.New(fault.InvalidRequest, "projectRoot must be an absolute path")
	}
	return &Blobs{store: s, project: filepath.Clean(projectRoot), fresh: map[string]bool{}}, nil
}

// putPrefix starts the name of a blob that is being received.
const putPrefix = ".put-"

// Put stores what r yields and returns its SHA-256 and length. Content over max
// bytes is [ErrTooLarge] and nothing is kept; so is content whose reader or
// context failed. A failing disk is STORAGE_FAILURE.
//
// The blob survives a crash of the process. It survives a power cut after
// [Blobs.Sync], or the Commit of the lease that this store came from.
func (b *Blobs) Put(ctx context.Context, r io.Reader, max int64) (sha string, n int64, err error) {
	root, err := b.open(true)
	if err != nil {
		return "", 0, storage("the attachment could not be stored", err)
	}
	defer func() { _ = root.Close() }()
	temp := b.store.maker.unfinished(putPrefix, rand.Text())
	f, err := durable.Create(root, temp, 0o600, durable.Blob)
	if err != nil {
		return "", 0, storage("the attachment could not be stored", err)
	}
	sum, n, err := copyHashed(ctx, f, r, max)
	if e := f.Close(); err == nil && e != nil {
		err = storage("the attachment could not be stored", e)
	}
	if err == nil {
		sha = hex.EncodeToString(sum)
		err = storage("the attachment could not be stored", b.settle(root, temp, sha))
	}
	if err != nil {
		_ = durable.Remove(root, temp) // a leftover is swept by GC
		return "", 0, err
	}
	return sha, n, nil
}

// Keep is [Blobs.Put] of bytes whose SHA-256 is known: what is stored already is not
// written again.
func (b *Blobs) Keep(ctx context.Context, sha string, data []byte) error {
	if root, err := b.open(false); err == nil {
		stored := b.renew(root, sha)
		_ = root.Close() // nothing was written through it
		if stored {
			return nil
		}
	}
	_, _, err := b.Put(ctx, bytes.NewReader(data), int64(len(data)))
	return err
}

// settle gives a received file its name, or drops it when the store has the
// content already, unspoilt.
func (b *Blobs) settle(root *os.Root, temp, sha string) error {
	if b.renew(root, sha) {
		return durable.Remove(root, temp)
	}
	if err := durable.Rename(root, temp, sha); err != nil {
		return err
	}
	b.stamp(root, sha)
	b.mu.Lock()
	b.fresh[sha] = true
	b.mu.Unlock()
	return nil
}

// renew reports whether the store has a content, unspoilt, and gives it the time of
// now.
//
// GC may be removing an old blob at this moment: it moves the file aside and
// looks at its time again before it removes it. So a blob whose time was renewed
// stays, and one that is gone when its time is renewed is stored afresh.
func (b *Blobs) renew(root *os.Root, sha string) bool {
	was, err := b.look(root, sha)
	if err != nil {
		return false
	}
	now := time.Now()
	if err := root.Chtimes(sha, now, now); err != nil {
		return false
	}
	flushed := b.store.flushed.has(b.path(sha), was, unchanged)
	is := b.stamp(root, sha)
	if flushed && is != nil {
		b.store.flushed.note(b.path(sha), is)
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fresh[sha] = true
	return true
}

// Sync makes the blobs durable that were put through b.
func (b *Blobs) Sync(ctx context.Context) error {
	b.mu.Lock()
	fresh := b.fresh
	b.fresh = map[string]bool{}
	b.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	err := b.sync(ctx, fresh)
	if err == nil {
		return nil
	}
	b.mu.Lock()
	for sha := range fresh {
		b.fresh[sha] = true
	}
	b.mu.Unlock()
	return storage("the attachments could not be made durable", err)
}

func (b *Blobs) sync(ctx context.Context, fresh map[string]bool) error {
	root, err := b.open(false)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	files := make([]durable.Syncer, 0, len(fresh))
	looks := map[string]fs.FileInfo{}
	for sha := range fresh {
		f, err := root.OpenFile(sha, os.O_RDWR, 0) // some systems flush only what may be written
		if err != nil {
			return err
		}
		defer f.Close() // nothing was written through it
		if looks[sha], err = f.Stat(); err != nil {
			return err
		}
		files = append(files, durable.FlushOf(f, filepath.Join(root.Name(), sha), durable.Blob))
	}
	project, err := os.OpenRoot(b.project)
	if err != nil {
		return err
	}
	defer func() { _ = project.Close() }()
	// A blob whose name is on disk before its content proves that it is damaged.
	err = durable.Together(
		func() error { return b.store.o.Committer.Commit(ctx, files...) },
		func() error { return b.store.paths.flushUp(project, dirBlobs, durable.Blob) })
	if err != nil {
		return err
	}
	for sha, info := range looks {
		b.store.flushed.note(b.path(sha), info)
	}
	return nil
}

// open opens the store's folder, making it when told to.
func (b *Blobs) open(create bool) (*os.Root, error) {
	project, err := os.OpenRoot(b.project)
	if err != nil {
		return nil, err
	}
	defer func() { _ = project.Close() }()
	root, err := project.OpenRoot(dirBlobs)
	if !create || !missing(err) {
		return root, err
	}
	if err := workspace.MakeBelay(project); err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(project, dirBlobs, 0o700); err != nil {
		return nil, err
	}
	return project.OpenRoot(dirBlobs)
}
