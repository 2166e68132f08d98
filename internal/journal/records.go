package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
)

// records reads the records of the project, the oldest first. Those that are not
// whole never were: they go.
func (p *Project) records() (all []*record, err error) {
	names, err := fs.ReadDir(p.dir.FS(), ".")
	if err != nil {
		return nil, err
	}
	for _, e := range names {
		id, ok := strings.CutSuffix(e.Name(), recordSuffix)
		if !ok {
			if strings.HasPrefix(e.Name(), durable.TempPrefix) {
				err = durable.Remove(p.dir, e.Name())
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		r, err := readRecord(p.dir, e.Name())
		if err == nil && r.ID != id {
			err = errTorn
		}
		if errors.Is(err, errTorn) {
			err = durable.Remove(p.dir, e.Name())
		} else if err == nil {
			all = append(all, r)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b *record) int { return a.Time.Compare(b.Time) })
	return all, nil
}

func readRecord(dir *os.Root, name string) (*record, error) {
	data, _, err := durable.ReadFile(dir, name, maxRecordBytes+100)
	if errors.Is(err, durable.ErrTooLarge) || errors.Is(err, durable.ErrNotRegular) {
		return nil, errTorn
	}
	if err != nil {
		return nil, err
	}
	r, err := decodeRecord(data)
	if newer := (*NewerError)(nil); errors.As(err, &newer) {
		newer.File = filepath.Join(dir.Name(), name)
	}
	return r, err
}

// adopt takes over the records of contents that are here and whose project was
// somewhere else: it was moved. Others are contents that belong to a project which
// is still there: this one is a copy of it, or another way to it.
func (p *Project) adopt(recs []*record, in []fs.DirEntry) (_ []*record, others map[string]bool, err error) {
	others = map[string]bool{}
	for _, e := range in {
		id := e.Name()
		if strings.HasPrefix(id, donePrefix) || strings.HasPrefix(id, keptPrefix) || !isID(id) ||
			slices.ContainsFunc(recs, func(r *record) bool { return r.ID == id }) {
			continue
		}
		found, err := fs.Glob(os.DirFS(p.s.dir), "*/"+id+recordSuffix)
		if err != nil || len(found) == 0 {
			continue
		}
		r, err := p.fetch(filepath.Join(p.s.dir, found[0]))
		if err != nil {
			return nil, nil, err
		}
		if r != nil {
			recs = append(recs, r)
		} else {
			others[id] = true
		}
	}
	return recs, others, nil
}

// fetch moves a record here from the folder of another project, unless that still
// has the contents: then these are a copy.
func (p *Project) fetch(path string) (*record, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	r, err := readRecord(dir, filepath.Base(path))
	if errors.Is(err, errTorn) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(string(r.Project), filepath.FromSlash(dirJournal), r.ID)); err == nil {
		return nil, nil
	}
	r.Project = Name(p.path)
	tx := &Tx{p: p, rec: *r}
	if err := tx.rewrite(); err != nil {
		return nil, err
	}
	return r, durable.Remove(dir, filepath.Base(path))
}
