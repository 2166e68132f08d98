package api

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/tool/files"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/view"
)

type searchAnswer struct {
	ProjectRoot string      `json:"projectRoot"`
	Results     []foundFile `json:"results"`
	// Matches are the lines or names in Results.
	Matches int `json:"matches"`
	// Searched is how many files were looked at, Unreadable how many folders could not be
	// opened.
	Searched   int64 `json:"searched"`
	Unreadable int   `json:"unreadable,omitempty"`
	// Cut is the bound that ended the search, absent where it looked at everything: matches,
	// files, bytes or time. Reason says it in a sentence.
	Cut    files.Cut `json:"cut,omitempty"`
	Reason string    `json:"reason,omitempty"`
}

// foundFile is a file with a match.
type foundFile struct {
	// Path is relative to the project.
	Path  string      `json:"path"`
	Lines []foundLine `json:"lines"`
	// Count is how many lines of the file match; it is more than Lines where those are cut.
	Count int `json:"count"`
}

// foundLine is a line around its first match, or a path around it.
type foundLine struct {
	// Line counts from 1; it is absent for a path.
	Line   int    `json:"line,omitempty"`
	Before string `json:"before"`
	Match  string `json:"match"`
	After  string `json:"after"`
}

// searchRoutes are the endpoints that look for files.
func searchRoutes() []route {
	return []route{
		{method: get, path: "/api/project/search", name: "searchProject", summary: "The files of a project whose name or lines have a text. The answer says what it left out, and why.",
			params: []param{workingRoot,
				{in: "query", name: "query", required: true, doc: "what to look for, at most 1000 bytes; letter case counts where it has a capital"},
				{in: "query", name: "in", doc: "name, the default, or content"},
				{in: "query", name: "path", doc: "the folder to look in, relative to the project or absolute; the project without it"},
				{in: "query", name: "regexp", doc: "true for an RE2 expression"},
				{in: "query", name: "ignored", doc: "true to look at what git ignores, too"},
				{in: "query", name: "limit", integer: true, doc: "how many lines or names to find, 1 to 1000; 200 without it"}},
			action: answers(searchProject), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound})},
	}
}

func searchProject(c *call) (a searchAnswer, err error) {
	root, q, err := c.projectOf()
	if err != nil {
		return a, err
	}
	p := params{q: q}
	if p.required("query"); len(q["query"]) > files.MaxQuery {
		p.bad("query", fmt.Sprintf("must have at most %d bytes", files.MaxQuery))
	}
	o := files.FindOptions{Query: q["query"], Folder: inside(root, q["path"]), Hides: unlisted(c, root)}
	o.Content = p.word("in", "name", "content") == "content"
	o.Regexp, o.Ignored, o.Matches = p.flag("regexp"), p.flag("ignored"), p.limit(0, files.MaxFound)
	if err := p.err(); err != nil {
		return a, err
	}
	found, err := files.Find(c.ctx(), root, o)
	if err != nil {
		return a, err
	}
	a = searchAnswer{ProjectRoot: root, Results: []foundFile{}, Searched: found.Searched, Unreadable: found.Skipped, Cut: found.Cut, Reason: cutReasons[found.Cut]}
	for _, f := range found.Files {
		a.Matches += len(f.Lines)
		a.Results = append(a.Results, foundFile{f.Path, linesOf(f.Lines), f.Count})
	}
	return a, nil
}

// cutReasons say why a search ended early, and what to do.
var cutReasons = map[files.Cut]string{
	files.CutMatches: "there are more matches; make the query narrower, or look in one folder",
	files.CutFiles:   "the project has more files than one search looks at; look in one folder",
	files.CutBytes:   "the files hold more than one search reads; look in one folder",
	files.CutTime:    "the search took too long; look in one folder, or make the query narrower",
}

func linesOf(found []files.FoundLine) []foundLine {
	lines := make([]foundLine, 0, len(found))
	for _, l := range found {
		lines = append(lines, foundLine{l.Number, l.Before, l.Match, l.After})
	}
	return lines
}

// unlisted says what the tree of a project does not list.
func unlisted(c *call, root string) func(string) bool {
	more := c.hides(root)
	return func(rel string) bool {
		return view.Hidden(more, rel) || slices.ContainsFunc(strings.Split(rel, "/"), scan.LeavesOut)
	}
}
