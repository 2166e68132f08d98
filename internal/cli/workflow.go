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
	"belay/internal/durable"
	"belay/internal/plainjson"
	"belay/internal/quantity"
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

func sharedText(s catalog.Shared) string {
	return "shared: " + quantity.Count(s.Agents, "agent", "agents") + ", " + quantity.Count(s.Actions, "action", "actions") + ", " + quantity.Count(s.Schemas, "schema", "schemas")
}

func newWorkflowCheck(c *console) *cobra.Command {
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
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		all := make([]catalog.Checked, 0, len(args))
		valid := true
		for _, name := range args {
			one, err := checkWorkflow(cmd.Context(), c, name)
			switch {
			case err != nil && (len(args) == 1 || cmd.Context().Err() != nil):
				return err
			case err != nil: // the other files are checked all the same
				_, message, hint, _ := explain(nil, err)
				one = catalog.Checked{Path: name, Problems: []catalog.CheckProblem{{Rule: authored.RuleSyntax, Message: message, Hint: hint}}}
			}
			all = append(all, one)
			valid = valid && one.Valid
		}
		if c.json {
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

// checkWorkflow reads a workflow file. An error says that it cannot be opened.
func checkWorkflow(ctx context.Context, c *console, name string) (catalog.Checked, error) {
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
	one := catalog.Checked{Path: name, Problems: []catalog.CheckProblem{}}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return one, failed(ExitNotFound, "name a workflow file", fmt.Errorf("%s does not exist", name))
	case errors.Is(err, durable.ErrNotRegular):
		return one, failed(ExitUsage, "name the workflow files in it, such as "+filepath.Join(name, "*.yaml"), fmt.Errorf("%s is a folder, or something else that is no file", name))
	case errors.Is(err, durable.ErrTooLarge):
		return one, run.TooLarge(name, limit)
	case err != nil:
		return one, failed(ExitFailed, "", err) // what the system says has its own next step
	}
	return catalog.Check(ctx, name, data, besides(name))
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

func printWorkflows(c *console, all []catalog.Checked) {
	for _, one := range all {
		if one.Valid {
			what := "workflow " + line(one.ID) + ", " + quantity.Count(one.Tasks, "task", "tasks")
			if one.Shared != nil {
				what = sharedText(*one.Shared)
			}
			found := "nothing is wrong"
			if n := len(one.Warnings); n > 0 {
				found = quantity.Count(n, "warning", "warnings")
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
			c.write(line(one.Path) + ": and " + quantity.Count(one.More, "more problem", "more problems") + "\n")
		}
		printWarnings(c, one)
	}
}

func printWarnings(c *console, one catalog.Checked) {
	for _, w := range one.Warnings {
		c.write(hang(clean(fmt.Sprintf("%s:%d:%d: warning: %s: %s", line(one.Path), w.Line, w.Column, line(w.Field), w.Message)), c.width, 2) + "\n")
	}
}
