package repository

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
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
	o, done, err := r.Objects()
	if err != nil {
		return "", fmt.Errorf("look for a commit: %w", err)
	}
	defer done()
	ids := map[string]bool{prefix: true}
	if len(prefix) < 2*r.id {
		if ids, err = o.beginning(ctx, prefix); err != nil {
			return "", fmt.Errorf("look for a commit: %w", err)
		}
	}
	id, other := "", kind("")
	for each := range ids {
		switch k, _, err := o.unverified(ctx, each); {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, ErrTooMuch):
			other = "blob" // no commit is so large
		case err != nil:
			return "", fmt.Errorf("look for a commit: %w", err)
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

// beginning returns the ids of objects that begin with a prefix.
func (o *Objects) beginning(ctx context.Context, prefix string) (map[string]bool, error) {
	ids := map[string]bool{}
	for i, store := range o.stores {
		if err := o.looseBeginning(ctx, store, prefix, ids); err != nil {
			return nil, err
		}
		names, err := o.packNames(i)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := o.packedBeginning(store, name, prefix, ids); err != nil {
				return nil, fmt.Errorf("the pack %s: %w", path.Base(name), err)
			}
		}
	}
	return ids, nil
}

// looseBeginning adds the objects that have files of their own.
func (o *Objects) looseBeginning(ctx context.Context, store *os.Root, prefix string, ids map[string]bool) error {
	f, err := store.Open(prefix[:2])
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
			if id := prefix[:2] + name; len(id) == 2*o.id && strings.HasPrefix(id, prefix) && len(ids) < maxMatches {
				ids[id] = true
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

// packedBeginning adds the objects of one pack.
func (o *Objects) packedBeginning(store *os.Root, pack, prefix string, ids map[string]bool) error {
	x, err := openIndex(store, pack+".idx", o.id)
	if err != nil {
		return err
	}
	defer x.f.Close()
	low, err := hex.DecodeString(prefix + strings.Repeat("0", 2*o.id-len(prefix)))
	if err != nil {
		return err
	}
	at, err := x.search(low)
	for ; err == nil && at < x.n && len(ids) < maxMatches; at++ {
		var name []byte
		if name, err = x.name(at); err == nil {
			id := hex.EncodeToString(name)
			if !strings.HasPrefix(id, prefix) {
				break
			}
			ids[id] = true
		}
	}
	return err
}
