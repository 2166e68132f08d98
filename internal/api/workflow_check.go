package api

import (
	"cmp"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workflow/catalog"
	"belay/internal/workflow/definition"
)

type checkBody struct {
	ProjectRoot string  `json:"projectRoot" doc:"absolute path of the project folder"`
	Path        string  `json:"path,omitempty" doc:"the workflow file, in the project: absolute, or relative to the project"`
	Text        *string `json:"text,omitempty" doc:"the text of a workflow file in place of the file; with path, it is checked as that file's"`
}

// check says that there must be something to check.
func (b *checkBody) check(f fields) {
	if b.Path == "" && b.Text == nil {
		f.bad("path", "is required, or text")
	}
}

// unnamed is what problems call a text that is no file.
const unnamed = "workflow.yaml"

func checkWorkflow(c *call, b *checkBody) (catalog.Checked, error) {
	root, err := settledProject(c, b.ProjectRoot)
	if err != nil {
		return catalog.Checked{}, err
	}
	whole, err := filepath.EvalSymlinks(root)
	if err != nil {
		return catalog.Checked{}, noIndex(root, err)
	}
	rel, name := unnamed, unnamed
	if b.Path != "" {
		file, err := c.workflowFile(root, b.Path)
		if err != nil {
			return catalog.Checked{}, err
		}
		if rel, err = filepath.Rel(whole, file); err != nil {
			return catalog.Checked{}, noIndex(root, err)
		}
		name = path.Clean(inside(root, b.Path))
	}
	limit := cmp.Or(c.o.Workflows.Limits.FileBytes, catalog.Default.FileBytes)
	open := seen(c.Handler, root, whole, limit)
	var data []byte
	if b.Text != nil {
		data = []byte(*b.Text)
	} else {
		data, err = open(rel)
	}
	switch {
	case int64(len(data)) > limit || errors.Is(err, durable.ErrTooLarge):
		return catalog.Checked{}, fault.New(fault.RequestTooLarge, "a workflow file has at most %d bytes", limit).With("limit", limit).
			WithHint("make the workflow shorter, or split it")
	case err != nil:
		return catalog.Checked{}, fault.New(fault.WorkspaceFileReadFailed, "the file %q cannot be read", fault.Clip(name)).With("field", "path").Because(err)
	}
	checked, err := catalog.Check(c.ctx(), name, data, func(used string) ([]byte, error) { return open(filepath.Join(filepath.Dir(rel), used)) })
	if b.Text == nil {
		checked.Text = strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return checked, err
}

// seen opens files of a project that callers may see, by their paths in it.
func seen(h *Handler, root, whole string, limit int64) definition.Opener {
	return func(name string) ([]byte, error) {
		if h.untouchable(root, filepath.ToSlash(name)) != "" {
			return nil, os.ErrNotExist
		}
		dir, err := os.OpenRoot(whole)
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		data, _, err := durable.ReadFile(dir, name, limit)
		return data, err
	}
}
