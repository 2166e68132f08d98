package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"belay/internal/durable"
)

// graceAge is how old a blob or a temporary file must at least be before it is
// removed: a turn stores its attachments before its transcript names them.
const graceAge = time.Hour

// GCOptions say what may go. A zero age keeps everything of its kind.
type GCOptions struct {
	// LogAge drops log segments that were finished longer ago. A session's last
	// segment always stays.
	LogAge time.Duration
	// BlobAge drops blobs that no transcript of the project names and that were
	// stored or attached longer ago, and uploads of that age: what a turn
	// attached of them is a blob.
	BlobAge time.Duration
	// Projects are looked at beside those that are known to have sessions.
	Projects []string
	// DryRun only counts.
	DryRun bool
}

// GCReport says what went, or would go.
type GCReport struct {
	Sessions     int   `json:"sessions"`
	Segments     int   `json:"segments"`
	SegmentBytes int64 `json:"segmentBytes"`
	Blobs        int   `json:"blobs"`
	BlobBytes    int64 `json:"blobBytes"`
	Uploads      int   `json:"uploads"`
	// Leftovers are temporary files and folders of crashed processes.
	Leftovers     int   `json:"leftovers"`
	LeftoverBytes int64 `json:"leftoverBytes"`
	// Busy counts the sessions that were passed over because a turn runs.
	Busy int `json:"busy"`
}

// GC applies retention to every session in the index and to the blobs of their
// projects, and sweeps what crashed processes left. A session whose turn runs
// keeps its log for now. Errors of single sessions do not stop it; they are
// joined.
func (s *Upkeep) GC(ctx context.Context, o GCOptions) (GCReport, error) {
	g := gc{store: s.store, o: o, now: time.Now(), projects: map[string]bool{}}
	ids, err := os.ReadDir(filepath.Join(s.store.o.StateDir, dirIndex))
	if err != nil {
		return g.report, storage("the index of sessions cannot be read", err)
	}
	var errs []error
	for _, e := range ids {
		if err := ctx.Err(); err != nil {
			return g.report, err
		}
		p, ok := s.store.paths.indexed(e.Name())
		if !ok {
			continue
		}
		if !p.exists() {
			if p.inProject() { // a deletion may have been cut off there
				g.projects[p.base] = true
			}
			continue
		}
		g.report.Sessions++
		g.sessions = append(g.sessions, p)
		errs = append(errs, g.session(ctx, e.Name(), p))
	}
	for _, project := range append(s.store.paths.knownProjects(), o.Projects...) {
		g.projects[project] = true
	}
	for project := range g.projects {
		if err := ctx.Err(); err != nil {
			return g.report, err
		}
		errs = append(errs, g.project(project))
	}
	errs = append(errs, g.sessionRoot(), g.gcLists(), g.stateFolder())
	if errors.Join(errs...) == nil {
		errs = append(errs, g.gcMakers())
	}
	return g.report, storage("not everything could be removed", errors.Join(errs...))
}

// sessionRoot sweeps the folder that holds all sessions, where there is one.
func (g *gc) sessionRoot() error {
	if g.store.o.SessionRoot == "" {
		return nil
	}
	base, err := os.OpenRoot(g.store.o.SessionRoot)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(g.leftovers(base, "."), base.Close())
}

// stateFolder sweeps the folders of the state folder that small files are replaced in.
func (g *gc) stateFolder() error {
	root := g.store.stateDir.Root()
	var errs []error
	for _, dir := range []string{".", dirIndex, dirInterrupts, dirSegmentHashes, dirProjects, dirLists} {
		errs = append(errs, g.sweep(root, dir, durable.TempPrefix))
	}
	ids, err := list(root, dirInputs)
	for _, id := range ids {
		errs = append(errs, g.sweep(root, dirInputs+"/"+id, durable.TempPrefix))
	}
	return errors.Join(append(errs, err)...)
}

type gc struct {
	store    *Store
	o        GCOptions
	now      time.Time
	projects map[string]bool
	// sessions are those of the index. A project may have more than one spelling, and a record
	// may be damaged, so each is read for each project.
	sessions []sessionPath
	report   GCReport
}

// session drops old segments and notes the project.
func (g *gc) session(ctx context.Context, id string, p sessionPath) error {
	rec, err := readRecordAt(p, id)
	if err != nil {
		if missing(err) || errors.Is(err, ErrMalformed) || isNewer(err) {
			return nil // reported by Problems
		}
		return err
	}
	g.projects[p.settle(rec).ProjectRoot] = true
	if g.o.LogAge <= 0 || g.o.DryRun {
		return g.segments(p, nil)
	}
	l, err := g.store.states.acquire(ctx, id, toKeep)
	if errors.Is(err, ErrBusy) {
		g.report.Busy++
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(g.segments(p, l), l.Release())
}

// segments counts the old ones of a session and, with its lease, removes them.
func (g *gc) segments(p sessionPath, l *Lease) error {
	root, err := p.open()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := g.sweep(root, ".", durable.TempPrefix); err != nil || g.o.LogAge <= 0 {
		return err
	}
	numbers, err := listSegments(root)
	if err != nil {
		return err
	}
	var gone []int
	for _, n := range numbers[:max(0, len(numbers)-1)] {
		info, err := root.Lstat(segmentName(n))
		if err != nil {
			return err
		}
		if g.now.Sub(info.ModTime()) < g.o.LogAge {
			break // whole segments from the beginning on: never a hole
		}
		g.report.Segments++
		g.report.SegmentBytes += info.Size()
		if l == nil {
			continue
		}
		if err := durable.Remove(root, segmentName(n)); err != nil {
			return err
		}
		gone = append(gone, n)
	}
	if len(gone) == 0 {
		return nil
	}
	return l.state.dropSegments(gone)
}

// dropSegments forgets removed segments. The lease is held.
func (l *sessionState) dropSegments(numbers []int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := numbers[len(numbers)-1]
	var rest []segment
	for _, seg := range l.log.segs {
		if seg.n > last {
			rest = append(rest, seg)
		}
	}
	l.log.segs = rest
	l.log.folder = nil
	return l.changeSegmentHashes(func(k segmentHashes) {
		for _, n := range numbers {
			delete(k, strconv.Itoa(n))
		}
	})
}
