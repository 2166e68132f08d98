package shell

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"belay/internal/journal"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// review returns the changes that may be applied. It reports the others in the notes
// and records them as refused. A folder that may not be made takes its content with it.
func (t *transaction) review(ctx context.Context, changes []journal.Change) (allowed []journal.Change, err error) {
	closed := map[string]bool{}
	for i := range changes {
		c := &changes[i]
		name := string(c.Path)
		why, err := forbidden(t.environment, c)
		if err != nil {
			return nil, err
		}
		if why == nil && c.After.Type != journal.None && isBelow(name, closed) {
			continue // it has no place; its folder was told
		}
		if why == nil {
			allowed = append(allowed, *c)
			continue
		}
		closed[name] = true
		if c.Before.Type == journal.Folder || c.After.Type == journal.Folder {
			continue // what is in it speaks for itself
		}
		t.refuse(c, why)
	}
	return allowed, ctx.Err()
}

func isBelow(name string, closed map[string]bool) bool {
	for ; name != "."; name = path.Dir(name) {
		if closed[name] {
			return true
		}
	}
	return false
}

// refuse notes a change that is not applied.
func (t *transaction) refuse(c *journal.Change, why error) {
	t.note("%s was not changed: %s", c.Path, sayWhy(c, why))
	for _, rec := range files.Recorded([]journal.Change{*c}) {
		rec.Restored, rec.Folders = true, 0
		t.refused = append(t.refused, rec)
	}
}

// sayWhy says why a change is not applied, in a clause.
func sayWhy(c *journal.Change, why error) string {
	text := strings.TrimSuffix(why.Error(), ".")
	if refusal, ok := tool.AsRefusal(why); ok {
		text = refusal.Reason
	}
	if rest, ok := strings.CutPrefix(text, string(c.Path)+" "); ok {
		text = "it " + rest
	}
	return text
}

// before is what the project has in a file that is changed.
func (t *transaction) before(c *journal.Change) ([]byte, error) {
	return readFile(t.environment.Root, string(c.Path))
}

func readAll(open func() (io.ReadCloser, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}
