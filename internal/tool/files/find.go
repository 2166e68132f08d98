package files

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/tool"
	"belay/internal/workspace"
)

// FindOptions say what a person looks for in a project. Only Query is required.
type FindOptions struct {
	// Query is a plain text, or an RE2 expression where Regexp is set. Letter case counts
	// where it has a capital.
	Query  string
	Regexp bool
	// Content looks at the lines of files, in place of their names.
	Content bool
	// Folder is where to look, relative to the project, with slashes; "" is all of it.
	Folder string
	// Ignored looks at what git ignores, too.
	Ignored bool
	// Hides says what is never looked at, by its path in the project; nil hides what no
	// agent sees.
	Hides func(rel string) bool

	// Matches is how many lines or names are found, 200 if 0. Files, Bytes and Time bound
	// what is looked at: 200,000 files, 2 GiB and 5 s if 0.
	Matches int
	Files   int64
	Bytes   int64
	Time    time.Duration
}

// The bounds of a search. LinesPerFile is how many lines of one file are returned.
const (
	MaxQuery       = 1000 // bytes
	MaxFound       = 1000
	LinesPerFile   = 20
	defaultMatches = 200
	defaultFiles   = 200_000
	defaultBytes   = 2 << 30
	defaultTime    = 5 * time.Second
	countedLines   = 10_000 // lines with a match that are counted in one file
)

var (
	errManyFiles = errors.New("too many files")
	errManyBytes = errors.New("too many bytes")
)

// Find searches the files of a project, an absolute path. It follows no links. What it
// returns is bounded, and says by what. It fails with NOT_FOUND where Folder is no folder
// of the project, with INVALID_REQUEST where the query cannot be used, and with the error
// of ctx.
func Find(ctx context.Context, project string, o FindOptions) (Found, error) {
	m, err := o.matcher()
	if err != nil {
		return Found{}, err
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return Found{}, noFolder(".", err)
	}
	defer root.Close()
	f := &finder{o: o, m: m, at: place{root: root, top: project, name: path.Clean(cmp.Or(o.Folder, "."))}}
	if err := f.check(); err != nil {
		return Found{}, err
	}
	searching, end := context.WithTimeout(ctx, cmp.Or(o.Time, defaultTime))
	defer end()
	var stop context.CancelCauseFunc
	f.ctx, stop = context.WithCancelCause(searching)
	defer stop(nil)
	f.stop = stop
	return f.run(ctx)
}

// matcher reads the query.
func (o FindOptions) matcher() (*matcher, error) {
	bad := func(format string, args ...any) *fault.Error {
		return fault.New(fault.InvalidRequest, format, args...).With("field", "query")
	}
	switch {
	case strings.TrimSpace(o.Query) == "":
		return nil, bad("query is required")
	case len(o.Query) > MaxQuery:
		return nil, bad("query has more than %d bytes", MaxQuery)
	}
	m, err := newMatcher(o.Query, !o.Regexp, !strings.ContainsFunc(o.Query, unicode.IsUpper))
	switch {
	case errors.Is(err, errManyLines):
		return nil, bad("query: %v", err)
	case err != nil:
		return nil, bad("query is no expression that can be used: %v", err).WithHint("it is an RE2 expression; search for plain text without regexp")
	}
	return m, nil
}

func noFolder(name string, err error) error {
	return fault.New(fault.NotFound, "the project has no such folder: %q", fault.Clip(name)).With("path", fault.Clip(name)).
		WithHint("name it relative to the project, with slashes").Because(err)
}

// finder is one search.
type finder struct {
	o  FindOptions
	m  *matcher
	at place
	// ctx ends when a bound is reached; stop reaches one.
	ctx   context.Context //nolint:containedctx // it lives for one call
	stop  context.CancelCauseFunc
	files atomic.Int64
	bytes atomic.Int64
}

// check refuses a folder that is hidden, not there, or reached by a link.
func (f *finder) check() error {
	name := f.at.name
	if !filepath.IsLocal(filepath.FromSlash(name)) || name != "." && f.hides(name) {
		return noFolder(f.o.Folder, nil)
	}
	folder, err := durable.OpenFolder(f.at.root, name)
	if err != nil {
		return noFolder(f.o.Folder, err)
	}
	return folder.Close()
}

func (f *finder) hides(rel string) bool {
	if f.o.Hides == nil {
		return new(workspace.Scope).Hidden(rel)
	}
	return f.o.Hides(rel)
}

// personScope is what a person sees. A search changes nothing.
type personScope struct {
	*workspace.Scope
	hides func(rel string) bool
}

var _ tool.Scope = personScope{}

// Hidden implements [tool.Scope].
func (s personScope) Hidden(rel string) bool { return s.hides(rel) }

func (f *finder) run(ctx context.Context) (Found, error) {
	most := cmp.Or(f.o.Matches, defaultMatches)
	k := &walk[FoundFile]{
		w: &tool.Environment{Project: f.at.top, Root: f.at.root, Scope: personScope{new(workspace.Scope), f.hides}}, at: f.at,
		hidden: true, ignored: f.o.Ignored, workers: walkers(), enough: most + 1, until: f.ctx.Done(), visitor: f.visitor,
	}
	files, _, err := k.run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return Found{}, ctx.Err()
		}
		return Found{}, noFolder(f.o.Folder, err)
	}
	found := Found{Searched: f.files.Load(), Skipped: k.skipped}
	switch cause := context.Cause(f.ctx); {
	case errors.Is(cause, errManyFiles):
		found.Cut = CutFiles
	case errors.Is(cause, errManyBytes):
		found.Cut = CutBytes
	case cause != nil:
		found.Cut = CutTime
	}
	found.take(files, most)
	return found, nil
}

// visitor makes what one goroutine looks at files with.
func (f *finder) visitor() func(*handle, string, string) (FoundFile, int) {
	m := f.m.clone()
	s := &searcher{ctx: f.ctx, m: m, limit: maxBuffer, keep: LinesPerFile, most: countedLines, spend: f.spend}
	return func(folder *handle, name, below string) (FoundFile, int) {
		if f.files.Add(1) > cmp.Or(f.o.Files, defaultFiles) {
			f.stop(errManyFiles)
			return FoundFile{}, 0
		}
		at := path.Join(f.at.name, below)
		if !f.o.Content {
			return byName(m, at)
		}
		hits := s.file(folder, name)
		found := FoundFile{Path: at, Count: hits.count}
		for _, l := range hits.lines {
			found.Lines = append(found.Lines, split(m, l.text, l.number))
		}
		return found, len(found.Lines)
	}
}

// spend reports whether n more bytes may be read.
func (f *finder) spend(n int) bool {
	if f.bytes.Add(int64(n)) <= cmp.Or(f.o.Bytes, defaultBytes) {
		return true
	}
	f.stop(errManyBytes)
	return false
}
