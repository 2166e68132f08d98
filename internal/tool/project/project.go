// Package project holds the tools with which an agent works on a project as what
// it is, an execution root: what a file tool could not do because the files are
// protected, or not as safely.
//
// The tools keep to the agent's write scope. The packages below workspace write the
// protected files; the agent's own text never gets into them.
//
// Contract: turn API REQ-04; workspace spec, sections 1, 2, 6, 9.5 and 11.
package project

import (
	"errors"
	"path"
	"strings"

	"belay/internal/fault"
	"belay/internal/tool"
	"belay/internal/workspace"
	"belay/internal/workspace/index"
	"belay/internal/workspace/scaffold"
	"belay/internal/workspace/snapshot"
	"belay/internal/workspace/statusfile"
)

// Options configures the tools.
type Options struct {
	// Index knows what projects hold.
	Index *index.Set
	// Transitions reads the status of deliverables and moves them on.
	Transitions *statusfile.Writer
	Registers   RegisterOptions
	Scaffold    scaffold.Options
	Snapshot    snapshot.Options
}

// New returns the tools, in the order in which models see them.
func New(o Options) []tool.Tool {
	return []tool.Tool{
		lister{o.Index}, grapher{o.Index}, status{o.Index, o.Transitions}, proposer{o.Index, o.Registers}, scaffolder{o.Scaffold}, publisher{o.Snapshot},
	}
}

// local checks a path of a model, of a folder or a file: relative to the project, clean, and not hidden from
// agents.
func local(w *tool.Environment, field, written string, folder bool) (string, error) {
	name := path.Clean(strings.TrimSpace(written))
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '\\' }) {
		r := tool.Refuse("%s %q is outside the project", field, clip(written)).WithHint("give a path relative to the project")
		r.Authority = true
		return "", r
	}
	if w.Hides(name, folder) {
		r := tool.Refuse("%s is not open to agents", clip(written))
		r.Authority = true
		return "", r
	}
	return name, nil
}

// mayMake asks the scope about a file that is to be made in dir. The name is none
// that is protected: packages below workspace write those.
func mayMake(w *tool.Environment, dir string) error {
	return refused(w.Scope.Allows(path.Join(dir, "new.md"), false))
}

func refused(err error) error {
	if err == nil {
		return nil
	}
	r := tool.Refuse("%v", err).Because(err)
	r.Authority = true
	if scope, ok := errors.AsType[*workspace.ScopeError](err); ok && scope.Protected {
		r.Hint = "leave it as it is, and tell the person what you would change"
	}
	return r
}

// explain makes a refusal of what a model can fix: an error that has a type. Others end the turn.
func explain(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Type == fault.SDKFailure {
		return err
	}
	message := f.Message
	if all, ok := f.Details["problems"].([]fault.Problem); ok && len(all) > 1 {
		var each []string
		for _, p := range all {
			each = append(each, p.Field+" "+p.Message)
		}
		message = strings.Join(each, "; ")
	}
	return tool.Refuse("%s", message).WithHint("%s", f.NextStep()).Because(err)
}

// clip shortens a value of a model for a message.
func clip(s string) string { return tool.Clip(s, 190) }

// lines is a list of at most most lines, and how many more there are.
func lines(all []string, most int) string {
	var b strings.Builder
	for i, l := range all {
		if i == most {
			b.WriteString("and more\n")
			break
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}
