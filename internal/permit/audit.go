package permit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/redact"
)

// The verdicts of an act that has two entries where it fails: the first goes on the log before
// the act is done, the second when it has failed. They differ in verdict and reason alone. Logs
// of earlier versions have made, written or published in place of begins.
const (
	VerdictBegins = "begins"
	VerdictFailed = "failed"
)

// AuditKinds are the kinds of entries, sorted.
var AuditKinds = []string{
	"changes", "coordination", "decision", "delegation", "files", "grant", "hook", "network", "outside", "ports", "refusal", "register", "snapshot", "transition", "undo",
}

// Entry is one line of the audit log: what was decided or refused, by whom.
// Texts are redacted and cut to a few kilobytes when they are written.
type Entry struct {
	// Kind is one of [AuditKinds].
	Kind       string `json:"kind"`
	SessionID  string `json:"sessionId,omitempty"`
	TurnID     string `json:"turnId,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	DecisionID string `json:"decisionId,omitempty"`
	// Project is the project's path. It is on the log without links: these may lead elsewhere later.
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Summary string `json:"summary,omitempty"`
	Verdict string `json:"verdict,omitempty"`
	By      string `json:"by,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Note    string `json:"note,omitempty"`
	// Effect is the fingerprint of what was decided about: that of the effect in
	// the session's permission:request.
	Effect string `json:"effect,omitempty"`
}

// maxEntryText is the longest text of an entry, maxAuditLine of a line.
const (
	maxEntryText = 2 << 10
	maxAuditLine = 256 << 10
)

// Audit is the operator's record of every decision and every refused authority:
// a file of JSON lines that only grows. Each line carries its number, the hash of
// the line before it and its own, so a line that was changed, removed or put in
// is found; a second file, the head, remembers the last line, so a cut end is
// found as well.
//
// Any number of processes append to it, one at a time under a lock of the
// system. An entry is on disk when [Audit.Append] returns. A process that dies
// while it appends leaves a line without an end, which the next one drops. It
// has no goroutines and holds no file open. Sessions record positions of the log
// ([Audit.Position]), so it is also noticed when somebody removes or replaces both
// files. Anyone who can write these files and the sessions as the operator can write
// another history: the log reports what agents and accidents do.
type Audit struct {
	path   string
	clock  func() time.Time
	redact *redact.Redactor
	tail   *tail
}

// OpenAudit returns the log at path, which is made with its folder at the first
// entry.
func OpenAudit(path string, clock func() time.Time) (*Audit, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("audit log: %q is not an absolute path", path)
	}
	if clock == nil {
		clock = time.Now
	}
	return &Audit{path: path, clock: clock, tail: newTail(path)}, nil
}

// Redacting returns the same log, written without what r knows to be secret. What
// looks like a key is left out in any case.
func (a *Audit) Redacting(r *redact.Redactor) *Audit {
	c := *a
	c.redact = r
	return &c
}

// Append writes an entry and returns when it is on disk. It waits for other
// processes until ctx is done.
func (a *Audit) Append(ctx context.Context, e Entry) (err error) {
	defer func() {
		if err = newerLog(err); err != nil {
			err = fmt.Errorf("write the audit log: %w", err)
		}
	}()
	if err := makeFolder(filepath.Dir(a.path)); err != nil {
		return err
	}
	e.Project = unlinked(e.Project)
	lock, err := acquire(ctx, a.path+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	root, err := os.OpenRoot(filepath.Dir(a.path))
	if err != nil {
		return err
	}
	defer root.Close()
	return a.append(root, e)
}

// newerLog says in err what helps where a newer program wrote the log.
func newerLog(err error) error {
	if newer := (*durable.NewerError)(nil); errors.As(err, &newer) {
		return fault.New(fault.StorageFailure, "a newer belay wrote the audit log: %v", newer).WithHint(durable.NewerHint)
	}
	return err
}

// append writes an entry; the lock is held.
func (a *Audit) append(root *os.Root, e Entry) (err error) {
	name := filepath.Base(a.path)
	end, err := a.end(root) // before opening, which repairs a torn end
	if err != nil {
		return err
	}
	lines, err := durable.OpenLines(root, name, 0o600, durable.Audit)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	if lines.Size() == 0 {
		// A log has a head before its first line, so that lines without one show that
		// somebody has removed it.
		if _, there, err := a.head(root); err != nil {
			return err
		} else if !there {
			if err := writeJSON(root, name+".head", head{Format: auditVersion}, durable.AuditHead); err != nil {
				return err
			}
		}
	}
	a.clean(&e)
	line, hash, err := auditLine{Format: auditVersion, N: end.N + 1, Time: a.clock().UTC(), Entry: e, Prev: end.Hash}.hashed()
	if err != nil {
		return err
	}
	if err := lines.Append(line); err != nil {
		return err
	}
	if err := lines.Sync(); err != nil {
		return err
	}
	a.tail.note(end.N+1, hash)
	err = writeJSON(root, name+".head", head{Format: auditVersion, N: end.N + 1, Size: lines.Size(), Hash: hash}, durable.AuditHead)
	if errors.Is(err, durable.ErrUnflushed) {
		return nil // the line is on disk, and counts after an older head
	}
	return err
}

// end is what the next line follows. It is what the head file says, unless a
// process died between a line and the head: then the lines after the head
// count, as far as they continue it. A log that was cut or changed is continued
// from the head, so that the break stays to be seen.
func (a *Audit) end(root *os.Root) (head, error) {
	h, _, err := a.head(root)
	if err != nil {
		return h, err
	}
	f, info, err := durable.OpenRegular(root, filepath.Base(a.path))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	defer f.Close()
	size := info.Size()
	if h.Size >= size {
		return h, nil
	}
	if _, err := f.Seek(h.Size, io.SeekStart); err != nil {
		return h, err
	}
	c := hashChain{n: h.N, prev: h.Hash}
	_, err = durable.Scan(io.LimitReader(f, size-h.Size), maxAuditLine, func(line []byte, _ int64) error { return c.follow(line) })
	if err != nil && !errors.Is(err, ErrAuditBroken) {
		return h, err
	}
	return head{N: c.n, Hash: c.prev}, nil
}

// head reads the head file and says whether there is one; without it the log
// begins.
func (a *Audit) head(root *os.Root) (h head, there bool, err error) {
	name := filepath.Base(a.path) + ".head"
	data, _, err := durable.ReadFile(root, name, 4<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, false, nil
	}
	if err == nil {
		err = durable.CheckVersion(name, data, auditVersion)
	}
	if err == nil {
		err = decode(data, &h)
	}
	return h, err == nil, err
}

// clean makes the entry's texts fit to be kept.
func (a *Audit) clean(e *Entry) {
	for _, s := range []*string{
		&e.Kind, &e.SessionID, &e.TurnID, &e.ToolCallID, &e.DecisionID, &e.Project, &e.Agent, &e.Tool,
		&e.Summary, &e.Verdict, &e.By, &e.Reason, &e.Note, &e.Effect,
	} {
		*s = clip(strings.ToValidUTF8(a.redact.String(*s), "\uFFFD"), maxEntryText)
	}
}
