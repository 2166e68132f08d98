package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/authored"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/plainjson"
	"belay/internal/workflow/catalog"
	"belay/internal/workflow/definition"
	"belay/internal/workflow/run"
)

func newWorkflow(c *console) *cobra.Command {
	return group("workflow", "Check workflow files and print their schema", "  belay workflow schema > workflow.schema.json\n  belay workflow check review.yaml",
		newWorkflowCheck(c), newWorkflowSchema(c))
}

func newWorkflowSchema(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of workflow files, for editors",
		Long: `Print a JSON Schema, draft 2020-12, of workflow files. With it an editor completes fields,
explains them and marks mistakes while you write. A schema cannot find names of missing
things, templates and conditions with syntax errors, or tasks in a circle. belay workflow
check finds those too.

With the language server for YAML, name the schema in the first line of a file:

  # yaml-language-server: $schema=workflow.schema.json

In a file of JSON, give the name in a field "$schema".`,
		Example: "  belay workflow schema > workflow.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := plainjson.MarshalIndent(definition.EditorSchema())
			if err == nil {
				c.write(string(schema) + "\n")
			}
			return err
		},
	}
}

// checkedWorkflow is what belay workflow check --json says of a file.
type checkedWorkflow struct {
	Path  string `json:"path"`
	Valid bool   `json:"valid"`
	ID    string `json:"id,omitempty"`
	Tasks int    `json:"tasks"`
	// Shared is set where the file has agents for workflows, and is none itself.
	Shared   *sharedAgents     `json:"shared,omitempty"`
	Problems []workflowProblem `json:"problems"`
	// More is how many other problems the file has.
	More int `json:"more,omitempty"`
	// Warnings are about what is there in vain.
	Warnings []workflowWarning `json:"warnings,omitempty"`
}

type sharedAgents struct {
	Agents  int `json:"agents"`
	Actions int `json:"actions"`
	Schemas int `json:"schemas"`
}

func (s sharedAgents) String() string {
	return "shared: " + count(s.Agents, "agent", "agents") + ", " + count(s.Actions, "action", "actions") + ", " + count(s.Schemas, "schema", "schemas")
}

type workflowWarning struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

type workflowProblem struct {
	Line    int           `json:"line,omitempty"`
	Column  int           `json:"column,omitempty"`
	Field   string        `json:"field,omitempty"`
	Rule    authored.Rule `json:"rule"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
}

func newWorkflowCheck(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check workflow files and list every problem",
		Long: `Check workflow files, YAML or JSON, and list every problem with its line and column; - is
stdin. A file without id and tasks is a file of shared agents. Nothing runs, and belay does
not look at files or addresses of attachments: belay run --dry-run does. The exit code is 1
if a file has a problem.`,
		Example: "  belay workflow check review.yaml\n  belay workflow check workflows/*.yaml --json",
		Args:    cobra.MinimumNArgs(1),
	}
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		all := make([]checkedWorkflow, 0, len(args))
		valid := true
		for _, name := range args {
			one, err := checkWorkflow(cmd.Context(), c, name)
			if err != nil {
				return err
			}
			all = append(all, one)
			valid = valid && one.Valid
		}
		if asJSON {
			if err := c.writeJSON(map[string]any{"valid": valid, "files": all}); err != nil {
				return err
			}
		} else {
			printWorkflows(c, all)
		}
		if !valid {
			return ended(ExitFailed)
		}
		return nil
	}
	return cmd
}

// checkWorkflow reads a workflow file. An error says that it can not be opened.
func checkWorkflow(ctx context.Context, c *console, name string) (checkedWorkflow, error) {
	var data []byte
	var err error
	limit := catalog.Default.FileBytes
	if name == "-" {
		if data, err = io.ReadAll(io.LimitReader(c.in, limit+1)); int64(len(data)) > limit {
			err = durable.ErrTooLarge
		}
	} else {
		data, _, err = durable.ReadFile(nil, name, limit)
	}
	one := checkedWorkflow{Path: name, Problems: []workflowProblem{}}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return one, failed(ExitNotFound, "name a workflow file", fmt.Errorf("%s does not exist", name))
	case errors.Is(err, durable.ErrNotRegular):
		return one, failed(ExitUsage, "name the workflow files in it, such as "+filepath.Join(name, "*.yaml"), fmt.Errorf("%s is a folder, or something else that is no file", name))
	case errors.Is(err, durable.ErrTooLarge):
		return one, run.TooLarge(name, limit)
	case err != nil:
		return one, failed(ExitFailed, "name a workflow file", err)
	}
	known := definition.Options{Open: besides(name), Tools: config.ModelTools(), Providers: config.Providers()}
	shared, is, err := definition.ParseShared(ctx, name, data, known)
	var w *definition.Workflow
	if !is {
		w, err = definition.ParseWith(ctx, name, data, known)
	}
	var wrong *authored.Error
	switch {
	case errors.As(err, &wrong):
		for _, p := range wrong.Problems {
			one.Problems = append(one.Problems, workflowProblem{p.Line, p.Column, p.Path, p.Rule, p.Message, p.Hint})
		}
		one.More = wrong.More
		if w != nil {
			one.Warnings = unreached(w)
		}
	case err != nil:
		return one, err
	case is:
		one.Valid, one.Shared = true, &sharedAgents{shared.Agents, shared.Actions, shared.Schemas}
	default:
		one.Valid, one.ID, one.Tasks = true, w.ID, len(w.Tasks)
		one.Warnings = unreached(w)
	}
	return one, nil
}

// unreached are warnings of the tasks that no run does.
func unreached(w *definition.Workflow) (all []workflowWarning) {
	for _, t := range w.Unreached() {
		all = append(all, workflowWarning{t.At.Line, t.At.Column, t.Path, "no task leads to " + t.ID + ", so it is never done"})
	}
	return all
}

// besides opens the files that a workflow uses: those of its folder. Stdin has none.
func besides(name string) definition.Opener {
	if name == "-" {
		return nil
	}
	return func(used string) ([]byte, error) {
		root, err := os.OpenRoot(filepath.Dir(name))
		if err != nil {
			return nil, err
		}
		defer root.Close()
		data, _, err := durable.ReadFile(root, used, catalog.Default.FileBytes)
		return data, err
	}
}

func printWorkflows(c *console, all []checkedWorkflow) {
	for _, one := range all {
		if one.Valid {
			what := "workflow " + line(one.ID) + ", " + count(one.Tasks, "task", "tasks")
			if one.Shared != nil {
				what = one.Shared.String()
			}
			found := "nothing is wrong"
			if n := len(one.Warnings); n > 0 {
				found = count(n, "warning", "warnings")
			}
			c.write(line(one.Path) + ": " + what + ", " + found + "\n")
			printWarnings(c, one)
			continue
		}
		hints := authored.Hints{}
		for _, p := range one.Problems {
			at := line(one.Path)
			if p.Line > 0 {
				at += fmt.Sprintf(":%d:%d", p.Line, p.Column)
			}
			if p.Field != "" {
				at += ": " + line(p.Field)
			}
			c.write(hang(clean(at+": "+p.Message), c.width, 2) + "\n")
			if hints.Show(p.Hint) {
				c.write("  " + hang(clean("hint: "+p.Hint), c.width, 4) + "\n")
			}
		}
		if one.More > 0 {
			c.write(line(one.Path) + ": and " + count(one.More, "more problem", "more problems") + "\n")
		}
		printWarnings(c, one)
	}
}

func printWarnings(c *console, one checkedWorkflow) {
	for _, w := range one.Warnings {
		c.write(hang(clean(fmt.Sprintf("%s:%d:%d: warning: %s: %s", line(one.Path), w.Line, w.Column, line(w.Field), w.Message)), c.width, 2) + "\n")
	}
}
