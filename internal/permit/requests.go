package permit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"belay/internal/durable"
	"belay/internal/lazyregexp"
)

// Folders of a store, and its limits.
const (
	dirPending  = "pending"
	dirVerdicts = "verdicts"
	dirGrants   = "grants"
	lockName    = "desk.lock"

	maxRequestBytes = 512 << 10
	// maxVerdictBytes has room for an answer whose note, paths and subject are as long as they
	// may be, each character of them escaped.
	maxVerdictBytes = 6 * (maxOnlyBytes + 4*(maxNote+maxBy) + maxSummary + 16<<10)
	maxOpen         = 1000
	// kept is how long an answer is kept, so that a process which starts again
	// finds it, and a second answer learns that it comes late.
	kept = 30 * 24 * time.Hour
	// settleTime bounds the wait for the store where no caller's context does.
	settleTime = 10 * time.Second
)

var idPattern = lazyregexp.New(`^[A-Za-z0-9_-]{1,80}$`)

// RequestsOptions say where the requests are kept.
type RequestsOptions struct {
	// Dir is the absolute path of its folder, which only the operator can enter.
	Dir string
	// Clock is time.Now when nil, NewID a random id.
	Clock func() time.Time
	NewID func() string
	// Timeout is how long a question waits for an answer; 0 is no limit.
	Timeout time.Duration
	// Audit notes every decision before it takes effect; nil notes none.
	Audit *Audit
	// Poll is how often whoever waits looks for an answer of another process, every
	// 200 ms for 0.
	Poll time.Duration
}

// Requests is the store of pending permission requests and their decisions. Each
// question is a file. Its answer is a second file, written whole and only once: of any
// number of answers from any number of processes, one counts. Then the question is
// removed, and the answer is kept for a month. Every process of the operator may open
// the same folder: the process that runs the turn waits, and a command line in another
// terminal answers, without a server.
//
// Nothing depends on a live process. A question outlasts the process that asked it
// ([Requests.Reopen]), and so does an answer ([Requests.Verdict]). An expired question
// counts as denied for every process. Foreign files are never taken for questions;
// [Requests.Problems] names them. Answers, grants and the audit log survive a power
// cut: each is on disk before the call that made it returns. A question may be lost
// with the turn that asked it, which is not on disk before its end either.
//
// It is safe for concurrent use and has no goroutine of its own.
type Requests struct {
	o       RequestsOptions
	root    *durable.Folder
	waiters waiters
}

// OpenRequests opens or makes the store in o.Dir, and tidies up after the processes
// that have died.
func OpenRequests(o RequestsOptions) (*Requests, error) {
	if !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("open the permission requests: %q is not an absolute path", o.Dir)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return "dec_" + rand.Text() }
	}
	if o.Poll <= 0 {
		o.Poll = 200 * time.Millisecond
	}
	for _, dir := range []string{dirPending, dirVerdicts, dirGrants} {
		if err := makeFolder(filepath.Join(o.Dir, dir)); err != nil {
			return nil, fmt.Errorf("open the permission requests: %w", err)
		}
	}
	root, err := durable.NewFolder(o.Dir, dirPending, dirVerdicts, dirGrants)
	if err != nil {
		return nil, fmt.Errorf("open the permission requests: %w", err)
	}
	d := &Requests{o: o, root: root}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	if err := d.Sweep(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the permission requests: %w", err), d.Close())
	}
	return d, nil
}

// Close lets go of everyone who waits for an answer: they get [ErrClosed]. Questions
// stay.
func (d *Requests) Close() error {
	d.waiters.close()
	return d.root.Close()
}

// Restore makes the store's folder again where somebody removed it, and reports
// whether anything of it was gone. Its questions, answers and grants are lost.
func (d *Requests) Restore() (made bool, err error) { return d.root.Restore() }

// ErrClosed is what those get who wait at a store that is closed.
var ErrClosed = errors.New("the permission requests are closed")

// questionFile and verdictFile are where a question and its answer are.
func questionFile(id string) string { return dirPending + "/" + id + ".json" }
func verdictFile(id string) string  { return dirVerdicts + "/" + id + ".json" }

// locked runs f while no other process changes anything in the store.
func (d *Requests) locked(ctx context.Context, f func() error) error {
	if _, err := d.Restore(); err != nil {
		return err
	}
	lock, err := acquire(ctx, filepath.Join(d.o.Dir, lockName))
	if err != nil {
		return err
	}
	return errors.Join(f(), lock.Unlock())
}

// question reads one; it is fs.ErrNotExist where there is none of that id.
func (d *Requests) question(id string) (Request, error) {
	var r Request
	if !idPattern.MatchString(id) {
		return r, fs.ErrNotExist
	}
	if err := readJSON(d.root.Root(), questionFile(id), maxRequestBytes, &r); err != nil {
		return Request{}, err
	}
	if r.ID != id || !idPattern.MatchString(r.SessionID) {
		return Request{}, fmt.Errorf("%s is not the question that its name says", questionFile(id))
	}
	return r, nil
}

// record is the content of an answer's file.
type record struct {
	SessionID string   `json:"sessionId"`
	Decision  Decision `json:"decision"`
	// Asked is what was asked, absent in files of older versions.
	Asked *Subject `json:"asked,omitempty"`
	// About is the decision's, which is nobody else's business.
	About string `json:"about,omitempty"`
}

// closed is the answer with what was asked.
func (v record) closed() Closed {
	c := Closed{v.Decision, Subject{SessionID: v.SessionID}}
	if v.Asked != nil {
		c.Subject = *v.Asked
	}
	return c
}

// answer reads one; it is fs.ErrNotExist where there is none.
func (d *Requests) answer(id string) (record, error) {
	var v record
	if !idPattern.MatchString(id) {
		return v, fs.ErrNotExist
	}
	err := readJSON(d.root.Root(), verdictFile(id), maxVerdictBytes, &v)
	v.Decision.About = v.About
	if err == nil && (v.Decision.DecisionID != id || !v.Decision.valid()) {
		err = fmt.Errorf("%w: %s is not the answer that its name says", errMalformed, verdictFile(id))
	}
	return v, err
}

// Verdict returns the answer to a question and whether there is one, also where
// the process that asked has died. A question whose time is over is denied.
// Answers are kept for a month.
func (d *Requests) Verdict(id string) (Decision, bool, error) {
	r, asked := d.question(id)
	// In this order: an answer is there before its question goes.
	v, err := d.answer(id)
	switch {
	case err == nil:
		return v.Decision, true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return Decision{}, false, fmt.Errorf("read the answer to %s: %w", id, err)
	case asked == nil && d.expired(r):
		return d.late(r), true, nil
	case asked != nil && !errors.Is(asked, fs.ErrNotExist):
		return Decision{}, false, fmt.Errorf("read the question %s: %w", id, asked)
	}
	return Decision{}, false, nil
}

// expired reports whether a question's time is over. One without a limit waits.
func (d *Requests) expired(r Request) bool {
	return !r.Expires.IsZero() && !d.o.Clock().Before(r.Expires)
}

// late is the decision that nobody made in time.
func (d *Requests) late(r Request) Decision {
	return Decision{
		DecisionID: r.ID, Verdict: VerdictDeny, By: ByTimeout, Note: "nobody answered in time", Time: r.Expires, Timeout: true,
		About: r.Effect.Fingerprint(),
	}
}
