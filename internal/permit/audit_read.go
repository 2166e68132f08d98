package permit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// AuditFilter says which entries [Audit.Read] returns. The zero value is every one.
type AuditFilter struct {
	// Project is a project's absolute path, by any name that leads to it, Kind an entry's kind,
	// Actor who made it: a person, or an agent. "" is any.
	Project, Kind, Actor string
	// Since leaves out what is older.
	Since time.Time
}

// Recorded is an entry of the log with its place.
type Recorded struct {
	// Line is the entry's number in the log, from 1.
	Line int       `json:"line"`
	Time time.Time `json:"time"`
	Entry
}

// AuditPage is a part of the log, the newest entry first.
type AuditPage struct {
	Entries []Recorded
	// Next is where older entries are to be read from, 0 where there are none.
	Next int64
	// Unreadable is how many lines were passed over: they are no entries, see [Audit.Verify], or
	// have the format of a newer version.
	Unreadable int
}

// The bounds of one page.
const (
	// MaxAuditPage is how many entries a page has.
	MaxAuditPage = 500
	// maxAuditRead is how much of the log is read for one page, in bytes.
	maxAuditRead = 32 << 20
	auditPiece   = 256 << 10
	// clockSlack is how far a clock may go back: an entry before an older one may be newer.
	clockSlack = 24 * time.Hour
)

// Read returns the newest entries of the log that a filter lets through, at most limit of
// them and [MaxAuditPage], older than the place before; 0 is the log's end. It reads a
// bounded part of the log, so a page with a Next may have no entries. It takes no lock: an
// entry that is being written is not there yet. Nothing is verified.
func (a *Audit) Read(ctx context.Context, f AuditFilter, before int64, limit int) (AuditPage, error) {
	if f.Kind != "" && !slices.Contains(AuditKinds, f.Kind) {
		return AuditPage{}, fault.Invalid([]fault.Problem{{Field: "kind", Message: "is one of " + strings.Join(AuditKinds, ", ")}})
	}
	root, err := os.OpenRoot(filepath.Dir(a.path))
	if errors.Is(err, fs.ErrNotExist) {
		return AuditPage{}, nil
	}
	if err != nil {
		return AuditPage{}, unreadLog(err)
	}
	defer root.Close()
	file, info, err := durable.OpenRegular(root, filepath.Base(a.path))
	if errors.Is(err, fs.ErrNotExist) {
		return AuditPage{}, nil
	}
	if err != nil {
		return AuditPage{}, unreadLog(err)
	}
	defer file.Close()
	r := &auditReader{filter: f, most: min(max(limit, 1), MaxAuditPage), at: info.Size(), real: unlinked(f.Project)}
	if before > 0 {
		r.at = min(before, info.Size())
	}
	if err := r.read(ctx, file); err != nil {
		return AuditPage{}, unreadLog(err)
	}
	return r.page, nil
}

func unreadLog(err error) error {
	return fault.New(fault.StorageFailure, "the audit log cannot be read").WithHint("check the permissions of the state folder and its disk").Because(err)
}

// auditReader reads a log from its end.
type auditReader struct {
	filter AuditFilter
	most   int
	at     int64 // where what was read begins
	old    bool  // nothing older is wanted
	page   AuditPage
	// real is the project's path without links, as entries have it; those of earlier versions have
	// the path that was named.
	real string
}

// read reads piece by piece. The beginning of a piece is the end of a line that the next
// piece has the beginning of.
func (r *auditReader) read(ctx context.Context, file io.ReaderAt) error {
	var rest []byte // of a line whose beginning was not read yet
	for read := int64(0); r.at > 0 && read < maxAuditRead; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(auditPiece, r.at)
		piece := make([]byte, n, n+int64(len(rest)))
		if _, err := file.ReadAt(piece, r.at-n); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		end := r.at + int64(len(rest)) // where piece and rest end
		piece, r.at, read = append(piece, rest...), r.at-n, read+n
		for {
			cut := bytes.LastIndexByte(bytes.TrimSuffix(piece, []byte("\n")), '\n') + 1
			if cut == 0 && r.at > 0 {
				break
			}
			begin := end - int64(len(piece)) + int64(cut)
			if done := r.line(piece[cut:]); done || cut == 0 {
				r.page.Next = begin
				if r.old {
					r.page.Next = 0
				}
				return nil
			}
			piece, end = piece[:cut], begin
		}
		if rest = piece; len(rest) > maxAuditLine {
			rest, r.page.Unreadable = nil, r.page.Unreadable+1
		}
		r.page.Next = r.at + int64(len(rest))
	}
	return nil
}

// line takes a line, and reports whether no older one is wanted.
func (r *auditReader) line(line []byte) (done bool) {
	var l auditLine
	if len(bytes.TrimSpace(line)) == 0 || line[len(line)-1] != '\n' {
		return false // it is not written to its end
	}
	if durable.CheckVersion("a line of the audit log", line, auditVersion) != nil || json.Unmarshal(line, &l) != nil {
		r.page.Unreadable++
		return false
	}
	if l.Time.Before(r.filter.Since) {
		r.old = l.Time.Before(r.filter.Since.Add(-clockSlack))
		return r.old
	}
	if p := r.filter.Project; p != "" && l.Project != p && l.Project != r.real || !r.filter.wants(l.Entry) {
		return false
	}
	r.page.Entries = append(r.page.Entries, Recorded{l.N, l.Time, l.Entry})
	return len(r.page.Entries) == r.most
}

// unlinked is a path without links, or the path itself where nothing is there.
func unlinked(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil && path != "" {
		return real
	}
	return path
}

func (f AuditFilter) wants(e Entry) bool {
	return (f.Kind == "" || e.Kind == f.Kind) && (f.Actor == "" || e.By == f.Actor || e.Agent == f.Actor)
}
