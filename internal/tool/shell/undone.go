package shell

import (
	"context"
	"slices"

	"belay/internal/journal"
	"belay/internal/tool"
)

// ReviewUndo reviews the changes of an undo. The session's record says what they are, and
// it may have come with the project or with an import. So an undo makes nothing that a
// command could not make: a [*NotAdmittedError] names a protected file or a link that leads
// out, a [*RunsByItselfError] files that other programs run by themselves, unless
// runsByItself says that the person means them. An undo may remove what a turn made, also
// a protected file: tools such as project.scaffold make them.
//
// Of w it needs the project, the limits and the scope of a person.
func ReviewUndo(ctx context.Context, w *tool.Environment, changes []journal.Change, runsByItself bool) error {
	made := slices.DeleteFunc(slices.Clone(changes), func(c journal.Change) bool { return c.After.Type == journal.None })
	if err := admitted(ctx, w, "", made); err != nil {
		return err
	}
	r, err := risksOf(ctx, w, "", changes)
	if err == nil && len(r.automatic) > 0 && !runsByItself {
		err = &RunsByItselfError{r.automatic}
	}
	return err
}
