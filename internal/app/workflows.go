package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"belay/internal/api"
	"belay/internal/config"
	"belay/internal/model/scripted"
	"belay/internal/permit"
	"belay/internal/turn"
	flows "belay/internal/workflow/catalog"
	"belay/internal/workflow/run"
)

// runOptions are those of the runner of workflows, whose agents can be given the tools of
// the engine.
func runOptions(a *App, engine *turn.Options) run.Options {
	return run.Options{
		Engine: a.Engine,
		Ready:  a.ready,
		Repeats: func(provider string) bool {
			return cmp.Or(provider, a.Config.Provider) == scripted.Name && a.Config.Scripted.Script == ""
		},
		Blobs:    func(project string) (run.Blobs, error) { return a.Store.Blobs(project) },
		Gather:   a.gatherer,
		Inspect:  a.Engine.InspectItems,
		Takes:    a.Engine.Takes,
		StateDir: a.Config.Paths.StateDir, Private: PrivateFolders(a.Config), Tools: allTools(*engine),
		Provider: a.Config.Provider, Others: a.Config.Workflow.Providers, Providers: config.Providers(),
		Asks: taskRules{a}.asks, Objection: objection(a, engine), Denies: taskRules{a}.denies, Priced: taskRules{a}.priced,
		Redact:   Redactor(a.Config),
		Answered: func(ctx context.Context, w run.Waiting) error { return a.audit.Append(ctx, answerEntry(w)) },
		Snapshot: snapshotOptions(a.Config, a.audit, gateOf(a.shell)), Limits: runLimits(a.Config),
		Logger: a.log, Clock: time.Now, NewID: newTurnID,
	}
}

// taskRules say what is known about a task before it begins.
type taskRules struct{ app *App }

// asks reports whether every call of a tool needs a person's decision: it only changes
// files, the mode asks about that, and no rule or hook may allow it.
func (t taskRules) asks(project, mode string, allow []string, tool string) bool {
	m := permit.ModeOf(mode)
	if tool != "write" || m == permit.AcceptEdits || m == permit.Plan || len(t.app.Config.Hooks) > 0 {
		return false
	}
	rules, err := newProjects(t.app.Config).rules(project)
	if err != nil {
		return false // the turn says what is wrong
	}
	given, err := permit.ParseRules(allow)
	return err == nil && !slices.ContainsFunc(slices.Concat(rules.Allowed, given), func(r permit.Rule) bool { return r.Names(tool) })
}

// denies says why the rules of a project deny to read a file. Rules that cannot be read deny
// all.
func (t taskRules) denies(project string) func(path string) string {
	rules, err := newProjects(t.app.Config).rules(project)
	if err != nil {
		return func(string) string { return err.Error() }
	}
	policy := permit.Policy{Denied: rules.Denied}
	return func(path string) string {
		ruling := policy.Judge(permit.Effect{Tool: "read", Kind: permit.Read, Paths: []string{path}})
		if ruling.Outcome == permit.Allow {
			return ""
		}
		return ruling.Reason
	}
}

// priced is the model that answers where a workflow makes this choice, as the engine
// chooses it, whether its price is known, and what the settings let a turn cost.
func (t taskRules) priced(project string, c turn.Choice) (run.Price, error) {
	rules, err := newProjects(t.app.Config).rules(project)
	if err != nil {
		return run.Price{}, err
	}
	known := prices(t.app.Config)
	p := run.Price{Model: cmp.Or(c.Model, t.app.Config.Model), Limit: rules.Limits.MaxCostUSD}
	if c.Provider != "" && c.Provider != t.app.Config.Provider {
		b, err := t.app.backends.get(c.Provider)
		if err != nil {
			return run.Price{}, err
		}
		known, p.Model = b.Prices, cmp.Or(c.Model, b.Model)
	}
	if p.Model == "" {
		if p.Model, err = t.app.Root.GlobalModel(); err != nil {
			return run.Price{}, err
		}
	}
	p.Model = cmp.Or(p.Model, rules.DefaultModel)
	p.Known = known.Bounds(cmp.Or(c.Provider, t.app.Config.Provider), p.Model)
	return p, nil
}

// answerEntry is what became of a wait task as the audit log has it: an answer, or that its
// time has passed.
func answerEntry(w run.Waiting) permit.Entry {
	verdict := permit.VerdictDeny
	if w.Answer.Answer == run.AnswerContinue {
		verdict = permit.VerdictAllow
	}
	return permit.Entry{
		Kind: "decision", DecisionID: w.DecisionID, Project: w.Project, Summary: w.Message, Verdict: string(verdict),
		By: w.Answer.By, Note: w.Answer.Note, Reason: "the task " + w.Task + " of the run " + w.RunID + " waits",
		Effect: permit.Effect{Summary: w.Message}.Fingerprint(),
	}
}

// workflows are how the server's callers get at workflow files and their runs.
func (a *App) workflows() api.Workflows {
	return api.Workflows{Runs: a.Runs, Limits: flows.Default}
}

func runLimits(cfg *config.Config) run.Limits {
	w := cfg.Workflow
	return run.Limits{
		FileBytes: flows.Default.FileBytes, Steps: w.Steps, Parallel: w.Parallel, Items: w.MaxItems, Tasks: w.MaxTasks,
		Attachments: cfg.Attachments.MaxItems, Matches: matchLimit(cfg), RetryDelay: run.DefaultRetryDelay,
	}
}

// runRetention is how long ended runs are kept.
func runRetention(cfg *config.Config) time.Duration { return cfg.Workflow.Retention }
