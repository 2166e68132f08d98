package files

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"belay/internal/durable"
	"belay/internal/permit"
	"belay/internal/tool"
)

// grep finds lines of files.
type grep struct{ workers int }

type grepInput struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	Literal    bool   `json:"literal"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
	Output     string `json:"output"`
	Hidden     bool   `json:"hidden"`
	Ignored    bool   `json:"ignored"`
}

// What grep can tell.
const (
	tellLines  = "lines"
	tellFiles  = "files"
	tellCounts = "counts"
)

// Spec implements [tool.Tool].
func (grep) Spec() tool.Spec {
	return tool.Spec{
		Name: "grep",
		Description: "Search the lines of files with a regular expression (RE2: no look-around, no back-references), or for a literal text. " +
			"A match is within one line. Results come by file, in the order of the paths: number:line for a match, number-line for context. " +
			"Binary files, files that begin with a dot and files that git ignores are left out; links are not followed.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{
"pattern":{"type":"string","minLength":1,"maxLength":2000},
"path":{"type":"string","minLength":1,"description":"a folder or one file, by default the project"},
"glob":{"type":"string","minLength":1,"maxLength":500,"description":"search only files whose path matches, such as *.go or src/**/*.ts; without a slash it is compared with the name"},
"literal":{"type":"boolean","description":"the pattern is plain text"},
"ignore_case":{"type":"boolean"},
"context":{"type":"integer","minimum":0,"maximum":20,"description":"lines to show around a match"},
"output":{"enum":["lines","files","counts"],"description":"the lines (default), only the paths of files with a match, or the number of matching lines of each file"},
"hidden":{"type":"boolean","description":"also files and folders that begin with a dot"},
"ignored":{"type":"boolean","description":"also what git ignores"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t grep) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	in, err := decode[grepInput](input)
	if err != nil {
		return nil, err
	}
	if in.Glob != "" {
		if err := checkPattern(in.Glob); err != nil {
			return nil, err
		}
	}
	m, err := newMatcher(in.Pattern, in.Literal, in.IgnoreCase)
	if err != nil {
		return nil, tool.Refuse("the pattern cannot be used: %v", err).WithHint("it is an RE2 expression; set literal to search for it as it is")
	}
	at, err := locate(w, cmp.Or(in.Path, "."))
	switch {
	case err != nil:
		return nil, err
	case !at.exists():
		return nil, notFound(w, at)
	case !at.info.IsDir():
		if err := at.regular(); err != nil {
			return nil, err
		}
	}
	in.Output = cmp.Or(in.Output, tellLines)
	return &grepCall{t, w, at, in, m}, nil
}

type grepCall struct {
	tool grep
	w    *tool.Environment
	at   place
	in   grepInput
	m    *matcher
}

// Effect implements [tool.Call].
func (c *grepCall) Effect() permit.Effect {
	summary := fmt.Sprintf("grep %q in %s", tool.Clip(c.in.Pattern, 80), c.at.shown())
	return permit.Effect{Tool: "grep", Kind: permit.Read, Summary: tool.Clip(summary, 190), Paths: []string{c.at.shown()}, Touched: c.at.alias(), Folder: c.at.folder()}
}

// fileHits is what was found in one file.
type fileHits struct {
	path  string // below the folder that was searched; "" for the file itself
	lines []hitLine
	count int
}

// Run implements [tool.Call].
func (c *grepCall) Run(ctx context.Context) (tool.Result, error) {
	if !c.at.info.IsDir() {
		return c.one(ctx)
	}
	k := &walk[fileHits]{
		w: c.w, at: c.at, hidden: c.in.Hidden, ignored: c.in.Ignored, workers: c.tool.workers, enough: c.w.Limits.Matches + 1,
		visitor: func() func(*handle, string, string) (fileHits, int) {
			s := c.search(ctx)
			return func(folder *handle, name, at string) (fileHits, int) {
				if !c.wants(at) {
					return fileHits{}, 0
				}
				hits := s.file(folder, name)
				hits.path = at
				return hits, c.weight(hits)
			}
		},
	}
	found, _, err := k.run(ctx)
	if err != nil {
		return tool.Result{}, unreadable(c.at.shown(), err)
	}
	return c.tell(found, k.skipped), nil
}

// one searches a single file.
func (c *grepCall) one(ctx context.Context) (tool.Result, error) {
	folder, err := durable.OpenFolder(c.at.root, path.Dir(c.at.name))
	if err != nil {
		return tool.Result{}, unreadable(c.at.shown(), err)
	}
	h, err := newHandle(folder)
	if err != nil {
		return tool.Result{}, unreadable(c.at.shown(), err)
	}
	defer h.release()
	s := c.search(ctx)
	hits := s.file(h, path.Base(c.at.name))
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if s.binary {
		return tool.Result{}, tool.Refuse("%s is binary", c.at.shown())
	}
	if hits.count == 0 {
		return c.tell(nil, 0), nil
	}
	return c.tell([]fileHits{hits}, 0), nil
}

// search makes a searcher for one goroutine.
func (c *grepCall) search(ctx context.Context) *searcher {
	s := &searcher{ctx: ctx, m: c.m.clone(), limit: maxBuffer, context: c.in.Context, keep: c.w.Limits.Matches + 1}
	switch c.in.Output {
	case tellFiles:
		s.keep, s.most = 0, 1
	case tellCounts:
		s.keep = 0
	default:
		s.most = c.w.Limits.Matches + 1
	}
	return s
}

// wants applies the glob.
func (c *grepCall) wants(at string) bool {
	if c.in.Glob == "" {
		return true
	}
	if !strings.Contains(c.in.Glob, "/") {
		at = path.Base(at)
	}
	return doublestar.MatchUnvalidated(c.in.Glob, at)
}

// weight is what a file's hits count towards the limit of matches.
func (c *grepCall) weight(hits fileHits) int {
	if c.in.Output == tellLines || hits.count == 0 {
		return hits.count
	}
	return 1
}
