package files

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/permit"
	"belay/internal/tool"
)

// list shows what is in one folder.
type list struct{}

type listInput struct {
	Path string `json:"path"`
}

// maxNames bounds how many names of one folder are read.
const maxNames = 200_000

// Spec implements [tool.Tool].
func (list) Spec() tool.Spec {
	return tool.Spec{
		Name: "list",
		Description: "List one folder, sorted by name: folders end with a slash, files have their size in bytes, links show where they lead. " +
			"Use glob to find files at any depth.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
"path":{"type":"string","minLength":1,"description":"the folder, by default the project"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (list) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	in, err := decode[listInput](input)
	if err != nil {
		return nil, err
	}
	p, err := locateFolder(w, cmp.Or(in.Path, "."))
	if err != nil {
		return nil, err
	}
	return &listCall{w, p}, nil
}

// locateFolder is locate for a path that must be a folder.
func locateFolder(w *tool.Environment, written string) (place, error) {
	p, err := locate(w, written)
	switch {
	case err != nil:
		return place{}, err
	case !p.exists():
		return place{}, notFound(w, p)
	case !p.info.IsDir():
		return place{}, tool.Refuse("%s is %s, not a folder", p.shown(), strings.Replace(kindOf(p.info.Mode()), "no regular file", "a file", 1))
	}
	return p, nil
}

type listCall struct {
	w *tool.Environment
	p place
}

// Effect implements [tool.Call].
func (c *listCall) Effect() permit.Effect {
	return permit.Effect{Tool: "list", Kind: permit.Read, Summary: tool.Clip("list "+c.p.shown(), 190), Paths: []string{c.p.shown()}, Touched: c.p.alias(), Folder: true}
}

// Run implements [tool.Call].
func (c *listCall) Run(ctx context.Context) (tool.Result, error) {
	folder, err := durable.OpenFolder(c.p.root, c.p.name)
	if err != nil {
		return tool.Result{}, explain(c.p.shown(), err)
	}
	defer folder.Close()
	entries, all, err := readNames(folder, maxNames)
	if err != nil {
		return tool.Result{}, explain(c.p.shown(), err)
	}
	var b strings.Builder
	shown, visible := 0, 0
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return tool.Result{}, err
		}
		if !c.p.scratch && c.w.Hides(path.Join(c.p.name, e.Name()), e.IsDir()) {
			continue
		}
		visible++
		if shown < visible-1 || shown >= c.w.Limits.Matches {
			continue
		}
		if line := describe(folder, e); int64(b.Len()+len(line)+100) <= c.w.Limits.OutputBytes {
			b.WriteString(line)
			shown++
		}
	}
	result := tool.Result{Truncated: shown < visible || !all}
	switch {
	case visible == 0:
		b.WriteString("(the folder is empty)\n")
	case !all:
		fmt.Fprintf(&b, "[the first %d; the folder has more than %d]\n", shown, maxNames)
	case shown < visible:
		fmt.Fprintf(&b, "[the first %d of %d; narrow it with glob]\n", shown, visible)
	}
	result.Text = b.String()
	return result, nil
}

// describe is one line of a list.
func describe(folder *os.Root, e fs.DirEntry) string {
	name := tool.Printable(e.Name())
	switch mode := e.Type(); {
	case mode.IsDir():
		return name + "/\n"
	case mode&fs.ModeSymlink != 0:
		target, err := folder.Readlink(e.Name())
		if err != nil {
			return name + " (a link)\n"
		}
		return fmt.Sprintf("%s -> %s\n", name, tool.Printable(target))
	case !mode.IsRegular():
		return fmt.Sprintf("%s (%s)\n", name, kindOf(mode))
	}
	info, err := e.Info()
	if err != nil {
		return name + "\n" // it went away meanwhile
	}
	return fmt.Sprintf("%s  %d\n", name, info.Size())
}

// readNames reads the entries of a folder in the order of their names, at most
// about most of them; all says whether these are all.
func readNames(folder *os.Root, most int) (entries []fs.DirEntry, all bool, err error) {
	f, err := folder.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for len(entries) < most && !all {
		some, err := f.ReadDir(4096)
		entries = append(entries, some...)
		if errors.Is(err, io.EOF) {
			all = true
		} else if err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, all, nil
}
