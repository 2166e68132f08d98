package catalog

import (
	"context"
	"errors"

	"belay/internal/authored"
	"belay/internal/config"
	"belay/internal/workflow/definition"
)

// Checked is what there is to say about a workflow file: every problem with its place.
type Checked struct {
	Path  string `json:"path"`
	Valid bool   `json:"valid"`
	ID    string `json:"id,omitempty"`
	Tasks int    `json:"tasks"`
	// Shared is set where the file has agents for workflows, and is none itself.
	Shared   *Shared        `json:"shared,omitempty"`
	Problems []CheckProblem `json:"problems"`
	// More is how many other problems the file has.
	More int `json:"more,omitempty"`
	// Warnings are about what is there in vain.
	Warnings []Warning `json:"warnings,omitempty"`
	// Text is the file as it was read, where the caller did not send it.
	Text string `json:"text,omitempty"`
}

// Shared counts what a file of shared agents has.
type Shared struct {
	Agents  int `json:"agents"`
	Actions int `json:"actions"`
	Schemas int `json:"schemas"`
}

// CheckProblem is something wrong in a file, and the next step.
type CheckProblem struct {
	// Line and Column are its place, absent where it is the whole file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Field leads to the value, as in tasks[2].agent.
	Field   string        `json:"field,omitempty"`
	Rule    authored.Rule `json:"rule"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
}

// Warning is about something that has no effect.
type Warning struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// Check reads a workflow file, or one of shared agents, and lists every problem. Nothing runs,
// and no file or address of an attachment is looked at. open reads the files that it uses;
// nil knows none. An error is ctx's, or one about no file.
func Check(ctx context.Context, name string, data []byte, open definition.Opener) (Checked, error) {
	known := definition.Options{Open: open, Tools: config.ModelTools(), Providers: config.Providers()}
	shared, is, err := definition.ParseShared(ctx, name, data, known)
	var w *definition.Workflow
	if !is {
		w, err = definition.ParseWith(ctx, name, data, known)
	}
	one := Checked{Path: name, Problems: []CheckProblem{}}
	if w != nil {
		one.Warnings = unreached(w)
	}
	if wrong := (*authored.Error)(nil); errors.As(err, &wrong) {
		for _, p := range wrong.Problems {
			one.Problems = append(one.Problems, CheckProblem{p.Line, p.Column, p.Path, p.Rule, p.Message, p.Hint})
		}
		one.More = wrong.More
		return one, nil
	}
	if err != nil {
		return one, err
	}
	one.Valid = true
	if is {
		one.Shared = &Shared{shared.Agents, shared.Actions, shared.Schemas}
	} else {
		one.ID, one.Tasks = w.ID, len(w.Tasks)
	}
	return one, nil
}

// unreached are warnings of the tasks that no run does.
func unreached(w *definition.Workflow) (all []Warning) {
	for _, t := range w.Unreached() {
		if t.ID == "" {
			continue // that is wrong with it
		}
		all = append(all, Warning{t.At.Line, t.At.Column, t.Path, "no task leads to " + t.ID + ", so it is never done"})
	}
	return all
}
