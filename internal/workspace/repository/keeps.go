package repository

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"belay/internal/durable"
)

// Keeps reports whether every object that files of a repository hold is elsewhere, whole: in
// made, nil for none, or in another file of the repository. The files are those of its folder
// called objects, by their paths in it, from which they are about to go. What cannot be looked at in time, or is more than [Objects] reads, counts as
// missing.
func Keeps(ctx context.Context, from, made *os.Root, files []string) bool {
	stores, gone := []*os.Root{from}, map[string]bool{}
	if made != nil {
		stores = []*os.Root{made, from}
	}
	for _, name := range files {
		gone[name] = true
	}
	var o *Objects
	indices := map[string]bool{} // packs whose objects are known, without their extensions
	var packs []string
	kept := func(id string) bool {
		if o == nil {
			o = NewObjects(len(id), stores...)
			o.gone = gone
			o.room = 0 // it holds one object at a time, and the context bounds its time
		}
		_, _, err := o.object(ctx, id)
		return err == nil
	}
	for _, name := range files {
		dir, base := path.Split(name)
		switch pack, isIndex := strings.CutSuffix(name, ".idx"); {
		case isIndex && dir == "pack/":
			indices[pack] = true
			ids, err := idsOf(from, name)
			if err != nil {
				return false
			}
			for _, id := range ids {
				if !kept(id) {
					return false
				}
			}
		case path.Ext(base) == ".pack" && dir == "pack/":
			packs = append(packs, strings.TrimSuffix(name, ".pack"))
		case !kept(strings.TrimSuffix(dir, "/") + base):
			return false
		}
	}
	for _, pack := range packs {
		if !indices[pack] {
			return false // nobody can tell what was in it
		}
	}
	return true
}

// idsOf are the objects that the index of a pack lists. The pack's name is a hash like theirs.
func idsOf(store *os.Root, name string) ([]string, error) {
	_, sum, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".idx"), "-")
	x, err := openIndex(store, name, len(sum)/2)
	if err != nil {
		return nil, err
	}
	defer x.f.Close()
	if x.n > maxObjects {
		return nil, fmt.Errorf("%s: %w", name, ErrTooMuch)
	}
	ids := make([]string, 0, x.n)
	for i := range x.n {
		id, err := x.name(i)
		if err != nil {
			return nil, errors.Join(err, errDamaged)
		}
		ids = append(ids, hex.EncodeToString(id))
	}
	return ids, nil
}

// away reports whether an error says that there is no such file. What is neither a regular
// file nor a folder stands, in the upper directory of an overlay, for one that was removed.
func away(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrNotRegular) || errors.Is(err, syscall.ENOTDIR)
}
