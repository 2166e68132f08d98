package bus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
	"belay/internal/fault"
)

// objectBucket is the object store with copies of files, for surfaces that cannot read
// the state folder.
const objectBucket = "BELAY_FILES"

// maxObjectBytes bounds all copies together.
const maxObjectBytes = 256 << 20

// ObjectName is the name of a copy.
func ObjectName(session, sha256 string) string { return session + "/" + sha256 }

// lent counts the readers of copies. What the counts do not know, because the process
// that had them is dead, goes after a day.
type lent struct {
	mu      sync.Mutex
	readers map[string]int
}

// objects is the object store, made where it is missing.
func (b *Bus) objects(ctx context.Context) (jetstream.ObjectStore, error) {
	s, err := b.js.ObjectStore(ctx, objectBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		s, err = b.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: objectBucket, Description: "copies of files on their way to surfaces", TTL: MaxAge, MaxBytes: maxObjectBytes,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("bus: object store: %w", err)
	}
	return s, nil
}

// Lend puts a copy into the object store for one more reader, unless it is there.
func (b *Bus) Lend(ctx context.Context, name string, r io.Reader) error {
	s, err := b.objects(ctx)
	if err != nil {
		return err
	}
	b.lent.mu.Lock() // one copy at a time: two readers may ask for the same one
	defer b.lent.mu.Unlock()
	if _, err := s.GetInfo(ctx, name); errors.Is(err, jetstream.ErrObjectNotFound) {
		if _, err := s.Put(ctx, jetstream.ObjectMeta{Name: name}, r); err != nil {
			return fault.New(fault.StorageFailure, "the bus has no place for a copy of the file: %v", err).
				WithHint("try again when other files were delivered").Because(err)
		}
	} else if err != nil {
		return fmt.Errorf("bus: object store: %w", err)
	}
	if b.lent.readers == nil {
		b.lent.readers = map[string]int{}
	}
	b.lent.readers[name]++
	return nil
}

// TakeBack notes that a reader needs a copy no more, and removes it after the last.
func (b *Bus) TakeBack(ctx context.Context, name string) error {
	b.lent.mu.Lock()
	defer b.lent.mu.Unlock()
	// A process before this one may have lent it: then nothing is counted.
	if n := b.lent.readers[name]; n > 1 {
		b.lent.readers[name] = n - 1
		return nil
	}
	delete(b.lent.readers, name)
	s, err := b.objects(ctx)
	if err != nil {
		return err
	}
	if err := s.Delete(ctx, name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("bus: object store: %w", err)
	}
	return nil
}

// OpenFile opens the bytes of a file of a session; the caller closes. They are those of
// its sha256: a reader that reaches io.EOF has all of them, unchanged. Bytes that the
// message has are taken from there, others from [Client.WithBlobs] or a copy in the
// object store.
func (c *Client) OpenFile(ctx context.Context, session string, f contract.File) (io.ReadCloser, error) {
	if f.DataBase64 != "" || f.Bytes == 0 {
		data, err := base64.StdEncoding.DecodeString(f.DataBase64)
		return verify(io.NopCloser(bytes.NewReader(data)), f), err
	}
	if c.blobs != nil {
		r, err := c.blobs(ctx, session, f.SHA256)
		if err != nil {
			return nil, err
		}
		return verify(r, f), nil
	}
	var copied contract.BlobCopied
	if err := c.bus.ask(ctx, c.envelope(session, "", ""), &contract.BlobCopy{SHA256: f.SHA256}, &copied); err != nil {
		return nil, err
	}
	release := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
		defer cancel()
		return c.bus.ask(ctx, c.envelope(session, "", ""), &contract.BlobRelease{Object: copied.Object}, &contract.BlobReleased{})
	}
	s, err := c.bus.objects(ctx)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	r, err := s.Get(ctx, copied.Object)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bus: object store: %w", err), release())
	}
	return verify(&borrowed{r, release}, f), nil
}

// borrowed is a copy that is given back when it is closed.
type borrowed struct {
	io.ReadCloser

	release func() error
}

func (b *borrowed) Close() error { return errors.Join(b.ReadCloser.Close(), b.release()) }

// verify has a reader end with an error where the bytes are not those of f.
func verify(r io.ReadCloser, f contract.File) io.ReadCloser {
	return &verified{ReadCloser: r, file: f, hash: sha256.New()}
}

type verified struct {
	io.ReadCloser

	file contract.File
	hash hash.Hash
	size int64
}

// Read implements io.Reader.
func (v *verified) Read(p []byte) (int, error) {
	n, err := v.ReadCloser.Read(p)
	v.hash.Write(p[:n])
	v.size += int64(n)
	if v.size > v.file.Bytes || errors.Is(err, io.EOF) && (v.size != v.file.Bytes || hex.EncodeToString(v.hash.Sum(nil)) != v.file.SHA256) {
		return 0, fault.New(fault.ContentChanged, "the bytes of %s are not those that were sent", v.file.Filename).
			WithHint("ask for the file again")
	}
	return n, err
}

// Objects is how many copies of files the bus holds.
func (b *Bus) Objects(ctx context.Context) (int, error) {
	s, err := b.objects(ctx)
	if err != nil {
		return 0, err
	}
	all, err := s.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("bus: object store: %w", err)
	}
	return len(all), nil
}

// forgetObjects removes the copies of a session's files.
func (b *Bus) forgetObjects(ctx context.Context, session string) error {
	s, err := b.js.ObjectStore(ctx, objectBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("bus: object store: %w", err)
	}
	all, err := s.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return fmt.Errorf("bus: object store: %w", err)
	}
	for _, o := range all {
		if strings.HasPrefix(o.Name, session+"/") {
			if err := s.Delete(ctx, o.Name); err != nil {
				return fmt.Errorf("bus: object store: %w", err)
			}
		}
	}
	return nil
}
