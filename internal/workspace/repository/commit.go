package repository

import (
	"bufio"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
)

// kind is what an object is.
type kind string

const commit kind = "commit"

// maxMatches bounds the objects whose ids begin alike that are looked at.
const maxMatches = 32

// Commit returns the full id of the commit whose id begins with prefix, which is
// 7 to 64 hex digits in any case. It fails with one of the package's errors, or
// because the repository cannot be read. Between commits that begin alike and
// other objects that do, only the commits count.
func (r *Repository) Commit(ctx context.Context, prefix string) (string, error) {
	prefix = strings.ToLower(prefix)
	if len(prefix) < 7 || len(prefix) > 2*r.id || strings.Trim(prefix, "0123456789abcdef") != "" {
		return "", ErrNoCommit
	}
	id, err := r.find(ctx, prefix)
	if errors.Is(err, ErrNoCommit) || errors.Is(err, fs.ErrNotExist) {
		// Objects move from loose files to packs and from pack to pack; whoever
		// looks just then finds them on the second look.
		id, err = r.find(ctx, prefix)
	}
	return id, err
}

func (r *Repository) find(ctx context.Context, prefix string) (string, error) {
	found := map[string]kind{}
	for _, store := range r.stores {
		if err := r.loose(ctx, store, prefix, found); err != nil {
			return "", fmt.Errorf("look for a commit: %w", err)
		}
		if err := r.packed(ctx, store, prefix, found); err != nil {
			return "", fmt.Errorf("look for a commit: %w", err)
		}
	}
	id, other := "", kind("")
	for each, k := range found {
		switch {
		case k != commit:
			other = k
		case id != "":
			return "", ErrAmbiguous
		default:
			id = each
		}
	}
	switch {
	case id != "":
		return id, nil
	case other != "":
		return "", fmt.Errorf("%w: it is a %s's", ErrNotCommit, other)
	}
	return "", ErrNoCommit
}

// loose adds the objects that have files of their own.
func (r *Repository) loose(ctx context.Context, store, prefix string, found map[string]kind) error {
	dir := filepath.Join(store, prefix[:2])
	if len(prefix) == 2*r.id {
		return r.looseObject(filepath.Join(dir, prefix[2:]), prefix, found)
	}
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(1024)
		for _, name := range names {
			id := prefix[:2] + name
			if len(id) == 2*r.id && strings.HasPrefix(id, prefix) && len(found) < maxMatches {
				if err := r.looseObject(filepath.Join(dir, name), id, found); err != nil {
					return err
				}
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
}

// looseObject reads what the object in a file is: its first word.
func (r *Repository) looseObject(path, id string, found map[string]kind) error {
	f, _, err := durable.OpenRegular(nil, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zlib.NewReader(bufio.NewReaderSize(f, 512))
	if err != nil {
		return fmt.Errorf("the object %s is damaged: %w", id, err)
	}
	head := make([]byte, len("commit "))
	if _, err := io.ReadFull(z, head); err != nil {
		return fmt.Errorf("the object %s is damaged: %w", id, err)
	}
	word, _, ok := strings.Cut(string(head), " ")
	if !ok {
		return fmt.Errorf("the object %s is damaged", id)
	}
	found[id] = kind(word)
	return nil
}

// packed adds the objects in packs.
func (r *Repository) packed(ctx context.Context, store, prefix string, found map[string]kind) error {
	dir := filepath.Join(store, "pack")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.inPack(ctx, filepath.Join(dir, name), prefix, found); err != nil {
			return fmt.Errorf("the pack %s: %w", name, err)
		}
	}
	return nil
}

// inPack adds the objects of one pack.
func (r *Repository) inPack(ctx context.Context, path, prefix string, found map[string]kind) error {
	x, err := openIndex(nil, path+".idx", r.id)
	if err != nil {
		return err
	}
	defer x.f.Close()
	low := make([]byte, r.id)
	if _, err := hex.Decode(low, []byte(prefix[:len(prefix)&^1])); err != nil {
		return err
	}
	if len(prefix)%2 == 1 {
		digit, err := hex.DecodeString(prefix[len(prefix)-1:] + "0")
		if err != nil {
			return err
		}
		low[len(prefix)/2] = digit[0]
	}
	at, err := x.search(low)
	if err != nil {
		return err
	}
	var pack *os.File
	for ; at < x.n && len(found) < maxMatches; at++ {
		name, err := x.name(at)
		if err != nil {
			return err
		}
		id := hex.EncodeToString(name)
		if !strings.HasPrefix(id, prefix) {
			return nil
		}
		if pack == nil {
			if pack, _, err = durable.OpenRegular(nil, path+".pack"); err != nil {
				return err
			}
			defer pack.Close()
		}
		offset, err := x.offset(at)
		if err != nil {
			return err
		}
		if found[id], err = kindAt(ctx, x, pack, offset); err != nil {
			return err
		}
	}
	return nil
}
