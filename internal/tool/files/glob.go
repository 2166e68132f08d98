package files

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/tool"
)

// glob finds files by their names.
type glob struct{ workers int }

type globInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Hidden  bool   `json:"hidden"`
	Ignored bool   `json:"ignored"`
}

// Spec implements [tool.Tool].
func (glob) Spec() tool.Spec {
	return tool.Spec{
		Name: "glob",
		Description: "Find files by a pattern of their path: * and ? within a name, ** over folders, [a-z], {a,b}. " +
			"*.md finds files directly in the folder, **/*.md at any depth. Paths come sorted. " +
			"Files that begin with a dot or are ignored by git are left out unless asked for; links are not followed.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{
"pattern":{"type":"string","minLength":1,"maxLength":500},
"path":{"type":"string","minLength":1,"description":"the folder that the pattern begins in, by default the project"},
"hidden":{"type":"boolean","description":"also files and folders that begin with a dot"},
"ignored":{"type":"boolean","description":"also what git ignores"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t glob) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	in, err := decode[globInput](input)
	if err != nil {
		return nil, err
	}
	if err := checkPattern(in.Pattern); err != nil {
		return nil, err
	}
	at, err := locateFolder(w, cmp.Or(in.Path, "."))
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(in.Pattern, "/") {
		in.Hidden = in.Hidden || strings.HasPrefix(part, ".") // who names it wants it
	}
	return &globCall{t, w, at, in}, nil
}

// checkPattern refuses patterns that are none, or that take for ever.
func checkPattern(pattern string) error {
	const maxBraces = 8
	switch {
	case !doublestar.ValidatePattern(pattern):
		return tool.Refuse("%q is not a pattern", tool.Clip(pattern, 200)).WithHint("close every bracket and brace, or put a backslash before it")
	case strings.Count(pattern, "{") > maxBraces || strings.Count(pattern, "**") > maxBraces:
		return tool.Refuse("the pattern has more than %d braces or double stars", maxBraces)
	case strings.HasPrefix(pattern, "/") || strings.HasPrefix(path.Clean(pattern), ".."):
		return tool.Refuse("a pattern is relative to a folder, and stays in it").WithHint("name the folder in path")
	}
	return nil
}

type globCall struct {
	tool glob
	w    *tool.Environment
	at   place
	in   globInput
}

// Effect implements [tool.Call].
func (c *globCall) Effect() permit.Effect {
	return permit.Effect{Tool: "glob", Kind: permit.Read, Summary: tool.Clip("glob "+c.in.Pattern+" in "+c.at.shown(), 190), Paths: []string{c.at.shown()}, Touched: c.at.alias(), Folder: c.at.folder()}
}

// Run implements [tool.Call].
func (c *globCall) Run(ctx context.Context) (tool.Result, error) {
	pattern := path.Clean(c.in.Pattern)
	k := &walk[string]{
		w: c.w, at: c.at, hidden: c.in.Hidden, ignored: c.in.Ignored, workers: c.tool.workers, enough: c.w.Limits.Matches + 1,
		visitor: func() func(*handle, string, string) (string, int) {
			return func(_ *handle, _, name string) (string, int) {
				if !doublestar.MatchUnvalidated(pattern, name) {
					return "", 0
				}
				return name, 1
			}
		},
	}
	found, _, err := k.run(ctx)
	if err != nil {
		return tool.Result{}, unreadable(c.at.shown(), err)
	}
	return c.tell(found, k.skipped), nil
}

// tell lists what was found, up to the limits.
func (c *globCall) tell(found []string, skipped int) tool.Result {
	var b strings.Builder
	shown := 0
	for _, name := range found[:min(len(found), c.w.Limits.Matches)] {
		line := tool.Printable(c.at.below(path.Join(c.at.name, name))) + "\n"
		if int64(b.Len()+len(line)+200) > c.w.Limits.OutputBytes {
			break
		}
		b.WriteString(line)
		shown++
	}
	if len(found) == 0 {
		b.WriteString("no file matches\n")
	}
	if shown < len(found) {
		fmt.Fprintf(&b, "[the first %d; there are more: make the pattern narrower]\n", shown)
	}
	b.WriteString(passedOver(skipped))
	return tool.Result{Text: b.String(), Truncated: shown < len(found)}
}

// passedOver is a note on folders that could not be opened.
func passedOver(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("[%s could not be opened]\n", quantity.Count(n, "folder", "folders"))
}
