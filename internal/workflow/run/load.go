package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/nearest"
	"belay/internal/permit"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
	"belay/internal/workspace/snapshot"
)

// flow is a workflow that was read and checked against what it is given.
type flow struct {
	*definition.Workflow
	name  string // of the file
	data  []byte
	input map[string]any
	env   map[string]any
}

// load reads a workflow file: by its name, which may be a link to anywhere, or as what
// it is in its folder where it must lie in another one.
func (r *Runner) load(ctx context.Context, at *site, req Request) (*flow, error) {
	file, limit := req.File, r.o.Limits.FileBytes
	var data []byte
	var err error
	if req.Within == "" {
		data, _, err = durable.ReadFile(nil, file, limit)
	} else {
		data, err = at.read(filepath.Base(file), limit)
	}
	switch {
	case errors.Is(err, durable.ErrTooLarge):
		return nil, TooLarge(file, limit)
	case errors.Is(err, os.ErrNotExist):
		return nil, noFile(file)
	case errors.Is(err, durable.ErrNotRegular):
		return nil, fault.New(fault.InvalidWorkflow, "%s is a folder, or something else that is no file", file).With("file", file).WithHint("name a workflow file, such as workflow.yaml")
	case err != nil:
		return nil, fault.New(fault.InvalidWorkflow, "the workflow file cannot be read: %v", err).With("file", file).Because(err).WithHint("name a workflow file that can be read")
	}
	return parse(ctx, filepath.Base(file), data, definition.Options{
		Open: func(name string) ([]byte, error) { return at.read(name, limit) }, Tools: r.o.Tools, Providers: r.o.Providers,
	})
}

// TooLarge is the error of a workflow file with more bytes than are read.
func TooLarge(file string, limit int64) error {
	return fault.New(fault.InvalidWorkflow, "the workflow file is larger than %d bytes", limit).With("file", file).
		WithHint("put long texts into files that the workflow attaches")
}

func noFile(file string) error {
	return fault.New(fault.NotFound, "there is no file %s", file).With("file", file).WithHint("name a workflow file, such as workflow.yaml")
}

func parse(ctx context.Context, name string, data []byte, known definition.Options) (*flow, error) {
	w, err := definition.ParseWith(ctx, name, data, known)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if wrong, ok := errors.AsType[*authored.Error](err); ok {
		var all []problem
		for _, p := range wrong.Problems {
			all = append(all, problem{File: name, Line: p.Line, Column: p.Column, Path: p.Path, Message: p.Message, Hint: p.Hint})
		}
		if wrong.More > 0 {
			all = append(all, problem{Message: fmt.Sprintf("and %d more problems", wrong.More)})
		}
		return nil, invalid("the workflow "+name+" is not valid", all)
	}
	if err != nil {
		return nil, fault.New(fault.InvalidWorkflow, "the workflow %s cannot be read: %v", name, err).Because(err)
	}
	return &flow{Workflow: w, name: name, data: data}, nil
}

// sum identifies a workflow: its file, and those that it uses.
func (w *flow) sum() string {
	if len(w.Used) == 0 {
		return sumOf(w.data)
	}
	all := []byte(sumOf(w.data))
	for _, name := range slices.Sorted(maps.Keys(w.Used)) {
		all = append(all, "\n"+name+" "+sumOf(w.Used[name])...)
	}
	return sumOf(all)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// fits checks what the file and the request ask for against what there is here: rules, the
// providers that are allowed, the snapshot's place.
func (r *Runner) fits(w *flow, req Request) error {
	var all []problem
	for _, text := range req.Allow {
		if rule, err := permit.ParseRule(text); err == nil && !turn.NamesTool(rule, r.o.Tools) {
			all = append(all, problem{Path: "--allow", Message: fmt.Sprintf("rule %q: there is no tool %q", text, rule.Tool()), Hint: r.o.toolMeant(rule.Tool())})
		} else if err := permit.CheckRule("permit.allow", text); err != nil {
			message, hint := permit.RuleProblem(err)
			all = append(all, problem{Path: "--allow", Message: message, Hint: hint})
		}
	}
	if req.Provider == "" {
		for _, a := range w.Agents {
			all = append(all, r.o.provider(w.name, a.At, a.Path, "agent "+a.ID, a.Provider)...)
		}
		w.Walk(func(t *definition.Task) {
			all = append(all, r.o.provider(w.name, t.At, t.Path, "task "+t.ID, t.Provider)...)
		})
	}
	if s := w.Snapshot; s.Root != "" {
		to := target(w, req.Project)
		err := to.Check()
		if err == nil && !slices.ContainsFunc(w.Tasks, func(t *definition.Task) bool { return mayMake(t, s.Root) }) {
			err = to.CheckPlace()
		}
		if f := fault.From(err); err != nil {
			all = append(all, problem{File: w.name, Line: s.At.Line, Column: s.At.Column, Path: "snapshot.root", Message: strings.TrimPrefix(f.Message, "toolRoot "), Hint: f.Hint})
		}
	}
	return invalid("the workflow "+w.ID+" cannot be run here", all)
}

// toolMeant is a hint to what may have been meant by the name of a tool.
func (o *Options) toolMeant(name string) string {
	if meant := nearest.Of(name, o.Tools); meant != "" {
		return "did you mean " + meant + "?"
	}
	return "there are " + strings.Join(o.Tools, ", ")
}

// provider says that an agent or a task names a provider which may not be asked.
func (o *Options) provider(file string, at *authored.Node, path, who, name string) []problem {
	if name == "" || name == o.Provider || slices.Contains(o.Others, name) {
		return nil
	}
	if m := at.Field("model"); m != nil {
		at = m
	}
	return []problem{{
		File: file, Line: at.Line, Column: at.Column, Path: path + ".model.provider",
		Message: fmt.Sprintf("the %s wants the provider %s, and %s is configured", who, name, o.Provider),
		Hint:    "allow it with workflow.providers in your own configuration, or start the run with --provider NAME for all agents",
	}}
}

// target is where the run is published.
func target(w *flow, project string) snapshot.Target {
	label := cmp.Or(w.Snapshot.Label, w.ID)
	return snapshot.Target{Root: project, ToolRoot: w.Snapshot.Root, Label: label}
}

// begin is what a request is checked for before anything of it happens. The caller
// closes the site.
func (r *Runner) begin(ctx context.Context, req Request) (_ *flow, _ *site, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if !filepath.IsAbs(req.File) || !filepath.IsAbs(req.Project) {
		return nil, nil, fault.New(fault.InvalidRequest, "project and file must be absolute paths").With("field", "file")
	}
	at, err := r.site(filepath.Dir(req.File), req.Within, req.Project)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, noFile(req.File)
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, at.Close())
		}
	}()
	w, err := r.load(ctx, at, req)
	if err != nil {
		return nil, nil, err
	}
	if err := w.give(req.Input, req.Texts, !req.resumes); err != nil {
		return nil, nil, err
	}
	return w, at, r.fits(w, req)
}
