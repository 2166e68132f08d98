package permit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// maxGrantBytes bounds what is read of a session's grants.
const maxGrantBytes = 4 << 20

// grant is one line of a session's grants: this agent may make calls of this
// class without being asked about.
type grant struct {
	Time       time.Time `json:"time"`
	Agent      string    `json:"agent"`
	Class      string    `json:"class"`
	By         string    `json:"by"`
	DecisionID string    `json:"decisionId"`
}

func grantFile(sessionID string) string { return dirGrants + "/" + sessionID + ".jsonl" }

// grants are those of one decision for a whole session, before they are on record. The
// store's lock is held from [Requests.prepareGrants] on.
type grants struct {
	lines *durable.Lines
	data  []byte
}

// prepareGrants fails where what a decision covers cannot be noted. The caller closes lines.
func (d *Requests) prepareGrants(r Request, dec Decision) (g grants, err error) {
	for _, class := range r.Effect.Classes() {
		line, err := encode(grant{dec.Time, r.Agent, class, dec.By, r.ID})
		if err != nil {
			return g, err
		}
		g.data = append(g.data, line...)
	}
	if g.lines, err = durable.OpenLines(d.root.Root(), grantFile(r.SessionID), 0o600, durable.Grant); err != nil {
		return g, err
	}
	if g.lines.Size()+int64(len(g.data)) > maxGrantBytes {
		err = fault.New(fault.InvalidRequest, "this session has too many decisions for the whole session").
			WithHint("answer allow or deny")
		return g, errors.Join(err, g.lines.Close())
	}
	return g, nil
}

// note puts the grants on record.
func (d *Requests) note(g grants) error {
	if err := g.lines.Append(g.data); err != nil {
		return err
	}
	if err := g.lines.Sync(); err != nil {
		return err
	}
	return durable.FlushDir(d.root.Root(), dirGrants, durable.Grant) // the file may be new
}

// Granted reports whether answers for the whole session allow this agent's call. No
// classes are never granted, and neither is anything while the grants cannot be read.
func (d *Requests) Granted(sessionID, agent string, e Effect) bool {
	if !idPattern.MatchString(sessionID) {
		return false
	}
	f, info, err := durable.OpenRegular(d.root.Root(), grantFile(sessionID))
	if err != nil {
		return false
	}
	defer f.Close()
	if info.Size() > maxGrantBytes {
		return false
	}
	allowed := map[string]bool{}
	_, err = durable.Scan(f, maxVerdictBytes, func(line []byte, _ int64) error {
		var g grant
		if json.Unmarshal(line, &g) == nil && g.Agent == agent {
			allowed[g.Class] = true
		}
		return nil
	})
	return err == nil && e.covered(allowed)
}

// Forget removes a session's questions, answers and grants: it was deleted.
// Anyone who still waits for one of them gets a denial.
func (d *Requests) Forget(sessionID string) error {
	if !idPattern.MatchString(sessionID) {
		return nil // no session has such an id
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	err := d.locked(ctx, func() error {
		var errs []error
		drop := func(id, session string) {
			if session == sessionID {
				errs = append(errs, d.drop(id))
				d.waiters.wake(id)
			}
		}
		errs = append(errs, d.each(ctx, dirPending, func(id string) {
			if r, err := d.question(id); err == nil {
				drop(id, r.SessionID)
			}
		}), d.each(ctx, dirVerdicts, func(id string) {
			if v, err := d.answer(id); err == nil {
				drop(id, v.SessionID)
			}
		}), d.remove(grantFile(sessionID)))
		return errors.Join(errs...)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the decisions of %s: %w", sessionID, err)
	}
	return nil
}
