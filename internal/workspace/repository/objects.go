package repository

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"belay/internal/durable"
)

// What is read of objects that may come from anybody: of one so many bytes, and so many
// of them.
const (
	maxObject  = 8 << 20
	maxObjects = 10_000
	// maxVisits bounds the trees that are looked into, also again, and maxEntries what those
	// that were read have: they stay in memory.
	maxVisits  = 200_000
	maxEntries = 1_000_000
)

// ErrTooMuch says that more objects would have to be read than may be.
var ErrTooMuch = errors.New("too many objects of the repository would have to be read")

// Objects reads the contents of commits and folders from folders of objects. Like
// [Repository] it runs no program and believes no setting; unlike it, it knows no
// alternates. An object whose content is not that of its id is an error. It reads at most 10,000
// objects of at most 8 MiB, and visits 200,000 trees, however often they are the same. It is used
// by one goroutine.
type Objects struct {
	stores []*os.Root
	id     int
	read   int
	// room is how many bytes may be read in all, and bytes how many were; 0 bounds nothing.
	room, bytes int64
	// visits are those of trees, and entries those of the trees that were read.
	visits, entries int
	packs           map[int][]string
	// gone are files of the last store that count as removed, by their paths in it.
	gone map[string]bool
	// commits and trees are those that were read.
	commits map[string]commitInfo
	trees   map[string]map[string]entry
}

// NewObjects returns the reader of objects whose ids have so many hex digits. The stores
// are the folders called objects, which the caller closes; an object is taken from the
// first that has it. It reads at most 128 MiB of objects.
func NewObjects(digits int, stores ...*os.Root) *Objects {
	return &Objects{
		stores: stores, id: digits / 2, room: maxRead, packs: map[int][]string{},
		commits: map[string]commitInfo{}, trees: map[string]map[string]entry{},
	}
}

// object returns an object.
func (o *Objects) object(ctx context.Context, id string) (kind, []byte, error) {
	k, data, err := o.unverified(ctx, id)
	if err == nil {
		err = verify(k, data, id)
	}
	return k, data, err
}

// unverified returns what is stored as an object.
func (o *Objects) unverified(ctx context.Context, id string) (kind, []byte, error) {
	if o.read++; o.read > maxObjects {
		return "", nil, ErrTooMuch
	}
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != o.id {
		return "", nil, fmt.Errorf("the object %.80q: %w", id, errDamaged)
	}
	for i, store := range o.stores {
		if ctx.Err() != nil {
			return "", nil, context.Cause(ctx)
		}
		k, data, err := kind(""), []byte(nil), fs.ErrNotExist
		if !o.removed(i, path.Join(id[:2], id[2:])) {
			if k, data, err = loose(store, id); err == nil {
				err = o.take(len(data))
			}
		}
		if away(err) {
			k, data, err = o.packed(ctx, i, raw)
		}
		if !away(err) {
			return k, data, err
		}
	}
	return "", nil, fmt.Errorf("the object %s: %w", id, fs.ErrNotExist)
}

// take counts bytes that were read.
func (o *Objects) take(n int) error {
	if o.bytes += int64(n); o.room > 0 && o.bytes > o.room {
		return ErrTooMuch
	}
	return nil
}

// verify compares an object with its id: git trusts no object without that, and a pack
// may come from anybody.
func verify(k kind, data []byte, id string) error {
	if hex.EncodeToString(sum(len(id)/2, k, data)) != id {
		return fmt.Errorf("the object %s: %w: its content is that of another one", id, errDamaged)
	}
	return nil
}

// sum is the id of an object, which has so many bytes: the hash of its kind, its size and
// its data.
func sum(size int, k kind, data []byte) []byte {
	h := newHash(size)
	fmt.Fprintf(h, "%s %d\x00", k, len(data))
	h.Write(data)
	return h.Sum(nil)
}

// newHash makes ids of so many bytes.
func newHash(size int) hash.Hash {
	if size == sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

// loose reads an object that has a file of its own.
func loose(store *os.Root, id string) (kind, []byte, error) {
	f, _, err := durable.OpenRegular(store, path.Join(id[:2], id[2:]))
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	z, err := zlib.NewReader(bufio.NewReader(f))
	if err != nil {
		return "", nil, fmt.Errorf("the object %s: %w", id, errDamaged)
	}
	r := bufio.NewReaderSize(z, 512)
	head, err := r.ReadSlice(0)
	if err != nil {
		return "", nil, fmt.Errorf("the object %s: %w", id, errDamaged)
	}
	word, size, _ := strings.Cut(string(head[:len(head)-1]), " ")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return "", nil, fmt.Errorf("the object %s: %w", id, errDamaged)
	}
	data, err := exactly(r, n)
	return kind(word), data, err
}

// exactly reads so many bytes.
func exactly(r io.Reader, n int64) ([]byte, error) {
	if n < 0 || n > maxObject {
		return nil, ErrTooMuch
	}
	var b bytes.Buffer // it grows with what there is, whatever was promised
	if m, err := io.Copy(&b, io.LimitReader(r, n)); err != nil || m != n {
		return nil, errors.Join(errDamaged, err)
	}
	return b.Bytes(), nil
}

// maxPacks bounds the packs of a store that are looked into.
const maxPacks = 1000

// packed reads an object that is in a pack of a store.
func (o *Objects) packed(ctx context.Context, store int, id []byte) (kind, []byte, error) {
	names, err := o.packNames(store)
	if err != nil {
		return "", nil, err
	}
	for _, name := range names {
		k, data, err := o.inPack(ctx, o.stores[store], name, id)
		if !away(err) {
			return k, data, err
		}
	}
	return "", nil, fs.ErrNotExist
}

// removed reports whether a file of a store counts as removed.
func (o *Objects) removed(store int, name string) bool {
	return store == len(o.stores)-1 && o.gone[name]
}

// packNames are the packs of a store, without their extensions.
func (o *Objects) packNames(store int) ([]string, error) {
	if names, known := o.packs[store]; known {
		return names, nil
	}
	entries, err := fs.ReadDir(o.stores[store].FS(), "pack")
	if err != nil && !away(err) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(path.Join("pack", e.Name()), ".idx")
		if ok && len(names) < maxPacks && !o.removed(store, name+".idx") && !o.removed(store, name+".pack") {
			names = append(names, name)
		}
	}
	o.packs[store] = names
	return names, nil
}

func (o *Objects) inPack(ctx context.Context, store *os.Root, name string, id []byte) (_ kind, _ []byte, err error) {
	x, err := openIndex(store, name+".idx", o.id)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, x.f.Close()) }()
	at, err := x.search(id)
	if err != nil || at == x.n {
		return "", nil, errors.Join(err, fs.ErrNotExist)
	}
	if found, err := x.name(at); err != nil || !bytes.Equal(found, id) {
		return "", nil, errors.Join(err, fs.ErrNotExist)
	}
	offset, err := x.offset(at)
	if err != nil {
		return "", nil, err
	}
	pack, info, err := durable.OpenRegular(store, name+".pack")
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, pack.Close()) }()
	return o.objectAt(ctx, x, pack, info.Size(), offset)
}
