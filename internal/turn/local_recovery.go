package turn

import (
	"context"

	"belay/internal/permit"
)

// Recovery takes care of the turns of processes that died. It is safe for concurrent use.
type Recovery struct{ local *Local }

// Stay says that this process is there for longer than one turn: from now on it
// takes up every turn that it comes across whose process died while a call waited
// for a person, and does not end it.
func (r Recovery) Stay() { r.local.lifetime.stays.Store(true) }

// Resume takes up the turns of these sessions, as [Recovery.Stay] says, and puts the
// end of others whose process died on record. A session that is not there, as on a
// disk that is not mounted, is left alone. The errors of all are joined.
func (r Recovery) Resume(ctx context.Context, sessionIDs ...string) error {
	r.Stay()
	return r.local.dead.resumeAll(ctx, sessionIDs)
}

// TakeUp carries out the answer that a person gave after the process of a turn had
// died: that turn goes on in this process. It is nil where the session has no such
// turn. A process that runs single turns calls it before the next turn of a session;
// one that stays needs no call ([Recovery.Stay]).
func (r Recovery) TakeUp(ctx context.Context, sessionID string) (*Earlier, error) {
	return r.local.streams.takeUp(ctx, sessionID)
}

// Answer is what a person said to the question of a turn whose process had died, as long as
// nobody has carried it out. Any other session has none.
func (r Recovery) Answer(ctx context.Context, sessionID string) (answer permit.Decision, ok bool, err error) {
	lease, p, err := r.local.dead.answered(ctx, sessionID)
	if err != nil || lease == nil {
		return permit.Decision{}, false, err
	}
	return p.Answer, true, leaveSuspended(lease, p)
}

// RecoverFiles settles the changes of files that dead processes left half done, in
// all projects, and puts them on the record of their sessions. A project that is
// gone is left out, and a session that somebody works in does it by itself.
func (r Recovery) RecoverFiles(ctx context.Context) error { return r.local.dead.recoverFiles(ctx) }
