package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/quantity"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/index"
	"belay/internal/workspace/validate"
)

func newProjectWatch(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch a project: its changes, and the findings that they add or remove",
		Long: `Watch a project until you press Ctrl-C. The command shows each change with its files and the
deliverables that are new, gone or in another state, then the findings that it added or
removed. --json prints one line of JSON for each: {"event":"changed"...} and
{"event":"findings"...}.`,
		Example: "  belay project watch\n  belay project watch --project ~/projects/bridge --json",
		Args:    cobra.NoArgs,
	}
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		w := &projectWatch{c: c, cfg: cfg, root: root}
		return w.run(cmd.Context())
	}
	return cmd
}

// projectWatch follows one project.
type projectWatch struct {
	c    *console
	cfg  *config.Config
	root string

	set    *index.Set
	report *validate.Report
}

// watchedChange and watchedFindings are the lines of --json.
type watchedChange struct {
	Event        string               `json:"event"`
	Version      uint64               `json:"version"`
	Paths        []string             `json:"paths"`
	More         bool                 `json:"more,omitempty"`
	Deliverables []watchedDeliverable `json:"deliverables"`
	Proposals    bool                 `json:"proposals,omitempty"`
}

type watchedDeliverable struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	Was  string `json:"was,omitempty"`
	Is   string `json:"is,omitempty"`
}

type watchedFindings struct {
	Event    string            `json:"event"`
	Version  uint64            `json:"version"`
	Appeared []finding.Finding `json:"appeared"`
	Resolved []finding.Finding `json:"resolved"`
	Errors   int               `json:"errors"`
	Warnings int               `json:"warnings"`
}

// run follows the project until ctx ends, which is how one stops watching, or the
// project is gone.
func (w *projectWatch) run(ctx context.Context) error {
	w.set = index.NewSet(index.Options{MaxWatches: index.DefaultWatches, Settle: func(ctx context.Context, root string) error {
		return app.SettleProject(ctx, w.cfg, root)
	}})
	defer w.set.Close()
	sub, now, err := w.set.Subscribe(ctx, w.root, 0)
	if err != nil {
		return err
	}
	defer sub.Close()
	if w.report, err = w.validate(ctx, now); err != nil {
		return err
	}
	w.c.note("watching", w.root+", "+quantity.Count(len(now.Deliverables), "deliverable", "deliverables")+", "+
		quantity.Count(w.report.Summary.Errors, "error", "errors")+", "+quantity.Count(w.report.Summary.Warnings, "warning", "warnings"))
	if now.Mode == index.Polling {
		w.c.note("polling", "the system does not report changes; belay looks for them every "+index.DefaultPoll.String())
	}
	for {
		c, gap, err := sub.Next(ctx)
		if err == nil {
			w.tell(c, gap)
			err = w.judge(ctx, c.Version)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, index.ErrClosed), errors.Is(err, fs.ErrNotExist):
			return failed(ExitNotFound, "check whether the folder is still there", errors.New("the project cannot be followed any more"))
		case err != nil:
			return err
		}
	}
}

func (w *projectWatch) validate(ctx context.Context, s *index.Snapshot) (*validate.Report, error) {
	return validate.Project(ctx, w.root, s.Result, validateOptions())
}

// tell says what changed.
func (w *projectWatch) tell(c index.Change, gap bool) {
	printed := watchedChange{Event: "changed", Version: c.Version, Paths: orEmpty(c.Paths), More: c.More || gap, Proposals: c.Proposals, Deliverables: []watchedDeliverable{}}
	for _, d := range c.Deliverables {
		f := cmp.Or(d.After, d.Before)
		one := watchedDeliverable{ID: f.ID, Path: f.Path}
		if d.Before != nil {
			one.Was = d.Before.Status
		}
		if d.After != nil {
			one.Is = d.After.Status
		}
		printed.Deliverables = append(printed.Deliverables, one)
	}
	if w.c.json {
		w.line(printed)
		return
	}
	for _, p := range printed.Paths {
		w.write("changed", line(p))
	}
	if printed.Proposals {
		w.write("changed", "what is proposed for registers")
	}
	if printed.More {
		w.write("changed", "and more")
	}
	for _, d := range printed.Deliverables {
		w.write("state", line(d.ID)+": "+cmp.Or(d.Was, "new")+" → "+cmp.Or(d.Is, "gone"))
	}
}

// write prints what happened, behind a word for it.
func (w *projectWatch) write(label, text string) {
	const margin = 9
	w.c.write(pad(label, margin) + hang(text, w.c.width, margin) + "\n")
}

// judge says which findings came and went with a change.
func (w *projectWatch) judge(ctx context.Context, version uint64) error {
	s, err := w.set.Current(ctx, w.root)
	if err != nil {
		return err
	}
	report, err := w.validate(ctx, s)
	if err != nil {
		return err
	}
	printed := watchedFindings{Event: "findings", Version: version, Appeared: without(report.Findings, w.report.Findings),
		Resolved: without(w.report.Findings, report.Findings), Errors: report.Summary.Errors, Warnings: report.Summary.Warnings}
	w.report = report
	switch {
	case len(printed.Appeared) == 0 && len(printed.Resolved) == 0:
	case w.c.json:
		w.line(printed)
	default:
		for _, f := range printed.Resolved {
			w.write("resolved", line(f.Code)+" "+clean(place(f)+f.Message))
		}
		for _, f := range printed.Appeared {
			w.write(string(f.Severity), line(f.Code)+" "+clean(place(f)+f.Message))
			if f.Fix != "" {
				w.write("", "fix: "+clean(f.Fix))
			}
		}
		w.write("now", quantity.Count(printed.Errors, "error", "errors")+", "+quantity.Count(printed.Warnings, "warning", "warnings"))
	}
	return nil
}

// without returns what all has and others do not. Lines do not count: those of
// other findings move with every edit.
func without(all, others []finding.Finding) []finding.Finding {
	key := func(f finding.Finding) finding.Finding { f.Line, f.Row = 0, 0; return f }
	known := map[finding.Finding]int{}
	for _, f := range others {
		known[key(f)]++
	}
	left := slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool {
		known[key(f)]--
		return known[key(f)] >= 0
	})
	return orEmpty(left)
}

func (w *projectWatch) line(v any) {
	if data, err := json.Marshal(v); err == nil {
		w.c.write(string(data) + "\n")
	}
}
