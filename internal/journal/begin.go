package journal

import (
	"crypto/rand"
	"fmt"
	"path"
)

// Begin looks at what the changes of a plan replace. It changes nothing. A path
// that is not what the plan says is a [*ConflictError].
func (p *Project) Begin(plan Plan) (*Tx, error) {
	tx := &Tx{p: p, contents: plan.Contents, rec: record{
		V: versionFirst, ID: p.s.mark + rand.Text(), Project: Name(p.path), Time: p.s.clock().UTC().Round(0), Owner: plan.Owner, Inside: plan.Inside,
	}}
	if err := Check(plan.Changes, plan.Inside); err != nil {
		return nil, err
	}
	touched := map[Name]bool{}
	var conflicts []Conflict
	for _, c := range plan.Changes {
		if c.Tree != nil && plan.Contents == "" {
			return nil, fmt.Errorf("journal: %w", &TreeError{c.Path, notAlone})
		}
		tx.content = append(tx.content, c.Content)
		c.Content = nil
		c.Taken, c.Whole = false, false
		c.Loose = c.Loose && c.Before.Type == None && plan.Contents != ""
		if !overlaps(touched, c.Path) {
			why, err := p.original(&c)
			if err != nil {
				return nil, fmt.Errorf("journal: look at %s: %w", c.Path, err)
			}
			if why != "" {
				conflicts = append(conflicts, Conflict{Path: c.Path, Reason: why})
			}
		}
		touched[c.Path] = true
		if c.To != "" {
			touched[c.To] = true
		}
		tx.rec.Changes = append(tx.rec.Changes, c)
	}
	if len(conflicts) > 0 {
		return nil, &ConflictError{conflicts}
	}
	return tx, nil
}

// overlaps reports whether an earlier change is made at a path or above it: what
// is there now says nothing.
func overlaps(touched map[Name]bool, name Name) bool {
	for p := string(name); p != "."; p = path.Dir(p) {
		if touched[Name(p)] {
			return true
		}
	}
	return false
}

// What conflicts say.
const (
	isGone     = "is gone"
	isThere    = "is there already"
	isChanged  = "was changed by something else"
	isElse     = "is something else now"
	folderGone = "is in a folder that is gone, or a link now"
	isDamaged  = "was to get a content that is damaged"
	isFull     = "is a folder that is not empty"
)

// original adds to a change what is known of what it replaces, or says why that is
// not what the change was reviewed for. The content is compared when it comes out
// of its place.
func (p *Project) original(c *Change) (why string, err error) {
	e, err := p.entry(c.Path)
	switch {
	case gone(err) && c.Before.Type == None:
		return "", nil // an earlier change makes the folder, or Apply says what is wrong
	case missing(err) && c.takes():
		return "", nil
	case gone(err):
		return folderGone, nil
	case err != nil:
		return "", err
	}
	now, err := look(e, false)
	if err != nil {
		return "", err
	}
	want := c.Before
	want.SHA256 = ""
	switch {
	case c.Before.Type == None && (now.Type == None || c.Op == Mkdir && now.Type == Folder):
		return "", nil
	case c.Before.Type == None:
		return isThere, nil
	case now.Type == None && c.takes():
		return "", nil
	case now.Type == None:
		return isGone, nil
	case !now.is(&want):
		return isChanged, nil
	}
	now.SHA256 = c.Before.SHA256
	c.Before = now
	return "", nil
}
