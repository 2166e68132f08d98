package template

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/nearest"
)

// What the context of a workflow's templates has, whatever the workflow. The values
// below .input, .with and .env are the author's.
var (
	contextKeys  = []string{"workflow", "tasks", "input", "with", "output", "attachments", "env", "item", "index", "last", "agents", "tools", "trigger"}
	workflowKeys = []string{"id", "exec_id", "version", "input", "output", "status"}
	taskKeys     = []string{"id", "output", "input", "status", "error", "children", "attachments"}
)

// Unknown lists the paths of a template that lead nowhere in any workflow, such as
// .task.read or .tasks.read.result, but not more than twenty. Each is an [*Error].
func (t *Template) Unknown() []*Error {
	var all []*Error
	var seen []string
	const most = 20
	for _, p := range t.paths {
		if len(all) == most {
			break
		}
		known, i := contextKeys, 0
		switch {
		case p[0] == "workflow" && len(p) > 1:
			known, i = workflowKeys, 1
		case p[0] == tasksKey && len(p) > 2:
			known, i = taskKeys, 2
		case p[0] == tasksKey:
			continue // whether there is such a task is not known here
		}
		if p[i] == Entry {
			continue // of a mapping
		}
		where := "the context"
		if i > 0 {
			where = "." + strings.Join(p[:i], ".")
		}
		if problem := fmt.Sprintf("there is no %q in %s", p[i], where); !slices.Contains(known, p[i]) && !slices.Contains(seen, problem) {
			e := &Error{Expression: "." + strings.Join(p, "."), Problem: problem, Hint: "it has " + strings.Join(known, ", ")}
			if meant := nearest.Of(p[i], known); meant != "" {
				e.Hint = "did you mean " + meant + "?"
			}
			seen, all = append(seen, problem), append(all, e)
		}
	}
	return all
}
