package journal

import (
	"errors"
	"fmt"
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
			err = durable.RemoveAll(p.in, e.Name())
		} else {
			err = p.orphaned(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finish completes a transaction or takes it back.
func (p *Project) finish(r *record) (err error) {
	tx := &Tx{p: p, rec: *r, dead: true}
	if tx.dir, err = p.content(r.ID); gone(err) {
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

// again makes those changes of a transaction whose process died that are not made yet.
// Where somebody else was faster the record says that it goes back.
func (tx *Tx) again() error {
	for i := range tx.rec.Changes {
		err := tx.do(i)
		if clash, ok := errors.AsType[*clash](err); ok {
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
		if err := durable.RemoveTemp(e.Folder, tx.step(i).temp()); err != nil {
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
