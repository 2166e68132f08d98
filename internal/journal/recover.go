package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
)

// recover settles what processes left that died: it completes transactions whose
// record is there, or takes them back, and removes what is left of all others. It
// can be cut off at any point, and does the rest when it is called again.
func (p *Project) recover() error {
	in, err := p.contents()
	if err != nil {
		return err
	}
	recs, err := p.records()
	if err != nil {
		return err
	}
	recs, others, err := p.adopt(recs, in)
	if err != nil {
		return err
	}
	for _, r := range recs {
		if r.Outcome == nil {
			err = p.finish(r)
		} else {
			err = p.clear(r)
		}
		if err != nil {
			return err
		}
	}
	for _, e := range in {
		id := strings.TrimPrefix(e.Name(), donePrefix)
		known := slices.ContainsFunc(recs, func(r *record) bool { return r.ID == e.Name() })
		if known || others[id] || !p.s.mine(e.Name()) {
			continue
		}
		if id != e.Name() {
			err = durable.RemoveAll(p.root, dirJournal+"/"+e.Name())
		} else {
			err = p.orphaned(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

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
		found, err := filepath.Glob(filepath.Join(p.s.dir, "*", id+recordSuffix))
		if err != nil || len(found) == 0 {
			continue
		}
		r, err := p.fetch(found[0])
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

// finish completes a transaction or takes it back.
func (p *Project) finish(r *record) (err error) {
	tx := &Tx{p: p, rec: *r, dead: true}
	if tx.dir, err = durable.OpenFolder(p.root, dirJournal+"/"+r.ID); gone(err) {
		return tx.drop() // it was over
	} else if err != nil {
		return err
	}
	if tx.rec.From != "" {
		if tx.tree, err = durable.OpenFolder(tx.dir, treeName(tx.rec.From)); err != nil && !gone(err) {
			return errors.Join(err, tx.close())
		}
		tx.arrange()
	}
	if !tx.rec.Back {
		if err := tx.again(); err != nil {
			return errors.Join(fmt.Errorf("complete it: %w", err), tx.close())
		}
	}
	if tx.rec.Back {
		if err := tx.back(len(tx.rec.Changes) - 1); err != nil {
			return errors.Join(fmt.Errorf("take it back: %w", err), tx.close())
		}
	}
	return tx.end()
}

// again makes the changes of a transaction whose process died, as far as they are
// not made. Where somebody else was faster the record says that it goes back.
func (tx *Tx) again() error {
	for i := range tx.rec.Changes {
		err := tx.do(i)
		var clash *clash
		if errors.As(err, &clash) {
			tx.rec.Back = true
			tx.rec.Conflicts = append(tx.rec.Conflicts, clash.Conflict)
			return tx.rewrite()
		}
		if err != nil {
			return err
		}
	}
	return tx.flush()
}

// end puts on record how a transaction ended, where there is somebody to tell, and
// removes the rest of it.
func (tx *Tx) end() error {
	if err := tx.sweep(); err != nil {
		return errors.Join(err, tx.close())
	}
	if err := tx.name(); err != nil {
		return errors.Join(err, tx.close())
	}
	tx.applied = !tx.rec.Back
	result := Completed
	if tx.rec.Back {
		result = RolledBack
	}
	tx.rec.Outcome = &Outcome{Result: result, Time: tx.p.s.clock().UTC().Round(0), Conflicts: tx.rec.Conflicts}
	tx.rec.Conflicts = nil
	tx.p.Settled = append(tx.p.Settled, settled(&tx.rec))
	if tx.rec.Owner.Session == "" {
		return tx.drop()
	}
	if err := tx.rewrite(); err != nil {
		return errors.Join(err, tx.close())
	}
	return errors.Join(tx.close(), tx.p.clear(&tx.rec))
}

// sweep removes what copies left beside the files.
func (tx *Tx) sweep() error {
	for i := range tx.rec.Changes {
		c := &tx.rec.Changes[i]
		if !c.places() && !c.takes() || tx.isPart(i) {
			continue
		}
		e, err := tx.p.entry(c.Path)
		if gone(err) {
			continue
		} else if err != nil {
			return err
		}
		if err := durable.RemoveTemp(e.Folder, tx.temp(i)); err != nil {
			return err
		}
	}
	return nil
}

// clear removes the contents of a transaction that is over, or gives them the name
// under which they stay. What one that was taken back had taken goes back, too.
func (p *Project) clear(r *record) (err error) {
	stays := false
	if r.Outcome.Result == RolledBack && r.From != "" {
		if stays, err = p.putBackOf(r.ID); err != nil {
			return err
		}
	}
	if stays || slices.ContainsFunc(r.Outcome.Conflicts, func(c Conflict) bool { return c.Kept != "" }) {
		return p.keep(r.ID)
	}
	return p.discard(r.ID)
}

func settled(r *record) Settled {
	return Settled{ID: r.ID, Owner: r.Owner, Changes: r.Changes, Outcome: *r.Outcome}
}
