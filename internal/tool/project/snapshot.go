package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/tool"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/snapshot"
)

// publisher publishes a folder as a snapshot.
type publisher struct{ o snapshot.Options }

type snapshotInput struct {
	ToolRoot string `json:"tool_root"`
	Label    string `json:"label"`
	From     string `json:"from"`
}

// Spec implements [tool.Tool].
func (publisher) Spec() tool.Spec {
	return tool.Spec{
		Name: "project.snapshot",
		Description: "Publish a folder as a snapshot that never changes again: a copy in a tool root, named LABEL_YYYY-MM-DD_HHmm, " +
			"with a manifest of checksums, to which the tool root's _LATEST.md then points. It cannot be taken back: a correction is another snapshot. " +
			"Write what is to be published into a folder of the project or the scratch folder first.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["tool_root","label","from"],"properties":{
"tool_root":{"type":"string","minLength":1,"description":"the tool root, or a folder in one, relative to the project, such as _Estimates"},
"label":{"type":"string","minLength":1,"maxLength":200,"description":"the first part of the snapshot's name, such as EST_DEL-01-01"},
"from":{"type":"string","minLength":1,"description":"the folder to publish, relative to the project, or absolute in the scratch folder"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t publisher) Prepare(ctx context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	var in snapshotInput
	if err := tool.Decode(input, &in); err != nil {
		return nil, err
	}
	c := &snapshotCall{w: w, o: t.o, target: snapshot.Target{Root: w.Project, ToolRoot: path.Clean(in.ToolRoot), Label: in.Label,
		By: snapshot.Author{Agent: w.Agent, Session: w.Session, Turn: w.Turn}}}
	if err := c.target.Check(); err != nil {
		return nil, explain(err)
	}
	if err := mayMake(w, path.Join(c.target.ToolRoot, "new")); err != nil {
		return nil, err
	}
	var err error
	if c.from, c.scratch, err = c.source(in.From); err != nil {
		return nil, err
	}
	if c.files, err = c.list(ctx); err != nil {
		return nil, err
	}
	c.target.Name, err = c.target.Next(w.Root, t.o.Clock()) // what rules judge is what is published
	return c, err
}

type snapshotCall struct {
	w      *tool.Environment
	o      snapshot.Options
	target snapshot.Target
	// from is the folder to publish, below the project or the scratch folder.
	from    string
	scratch bool
	// files are what a person saw.
	files []snapshot.File
}

// source finds the folder that a path of a model names.
func (c *snapshotCall) source(written string) (name string, scratch bool, err error) {
	if c.w.ScratchRoot != nil && filepath.IsAbs(written) {
		if rel, err := filepath.Rel(c.w.Scratch, written); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true, nil
		}
	}
	name, err = local(c.w, "from", written, true)
	return name, false, err
}

// open opens the folder, through no link: one may lead to what agents are not shown.
func (c *snapshotCall) open() (snapshot.Source, error) {
	root, s := c.w.Root, snapshot.Source{}
	if c.scratch {
		root = c.w.ScratchRoot
	} else {
		s.Skip = func(p string, folder bool) bool { return c.w.Hides(path.Join(c.from, p), folder) }
	}
	var err error
	if s.Root, err = durable.OpenFolder(root, c.from); err != nil {
		reason := "cannot be opened"
		switch {
		case errors.Is(err, os.ErrNotExist):
			reason = "does not exist"
		case errors.Is(err, durable.ErrMoved):
			reason = "is reached by a link; name the folder itself"
		}
		return s, tool.Refuse("from: the folder %s %s", clip(c.from), reason).Because(err)
	}
	return s, nil
}

func (c *snapshotCall) list(ctx context.Context) ([]snapshot.File, error) {
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	defer s.Root.Close()
	files, err := snapshot.List(ctx, c.o, s)
	if err != nil {
		return nil, explain(err)
	}
	return files, nil
}

// Effect implements [tool.Call].
func (c *snapshotCall) Effect() permit.Effect {
	folder := path.Join(c.target.ToolRoot, c.target.Name)
	e := permit.Effect{Tool: "project.snapshot", Kind: permit.Write, Paths: []string{path.Join(c.target.ToolRoot, c.target.Label)},
		Touched: []string{folder, path.Join(folder, snapshot.ManifestFile), path.Join(c.target.ToolRoot, layout.LatestFile)}}
	var list []string
	total := int64(0)
	for _, f := range c.files {
		total += f.Bytes
		e.Touched = append(e.Touched, path.Join(folder, f.Path))
		list = append(list, fmt.Sprintf("+ %s (%d bytes)", f.Path, f.Bytes))
	}
	// The minute is not in it: an answer stays good for a call that goes on after a restart.
	e.Summary = clip(fmt.Sprintf("publish %s as a snapshot %s in %s: %s, %s", c.from, c.target.Label, c.target.ToolRoot, quantity.Count(len(c.files), "file", "files"), quantity.Count(int(total), "byte", "bytes")))
	e.Diff = lines(list, maxShown)
	return e
}

// Run implements [tool.Call].
func (c *snapshotCall) Run(ctx context.Context) (tool.Result, error) {
	now, err := c.list(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	if fmt.Sprint(now) != fmt.Sprint(c.files) {
		return tool.Result{}, tool.Refuse("what is in %s changed meanwhile", clip(c.from)).WithHint("call project.snapshot again")
	}
	s, err := c.open()
	if err != nil {
		return tool.Result{}, err
	}
	defer s.Root.Close()
	made, err := snapshot.Publish(ctx, c.target, c.o, snapshot.CopySource(ctx, c.o, s))
	if err != nil {
		return tool.Result{}, explain(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "published %s/%s, %s, %s; _LATEST.md points to it\n", made.ToolRoot, made.Name,
		quantity.Count(len(made.Files), "file", "files"), quantity.Count(int(made.Bytes), "byte", "bytes"))
	for _, f := range made.Files {
		fmt.Fprintf(&b, "%s  %s\n", f.SHA256, f.Path)
	}
	return cut(b.String(), c.w.Limits.OutputBytes), nil
}
