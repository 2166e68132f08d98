package shell

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/overlay"
)

// overlaid reports whether commands work on an overlay of the project: this machine
// must be able to lay one, on the project's file system, and no other file system may
// be mounted inside the project, whose files would be missing. Nor may the project
// belong to another group, as one that is shared does: in an overlay only root can
// change files of other owners.
func (c *call) overlaid(ctx context.Context) (bool, error) {
	if !c.report.Overlay || mountsInside(c.environment.Project) {
		return false, nil
	}
	if foreign, err := ofOthers(c.environment.Root); foreign || err != nil {
		return false, err
	}
	if known, ok := c.shell.overlays.Load(c.environment.Project); ok {
		return known.(bool), nil
	}
	if c.environment.Scratch == "" {
		return true, nil // the call is only judged, and nothing is tried in the project
	}
	works, err := c.tryOverlay(ctx)
	if err == nil {
		c.shell.overlays.Store(c.environment.Project, works)
	}
	return works, err
}

// tryTime bounds the try of an overlay.
const tryTime = 10 * time.Second

// tryOverlay runs a command that does nothing.
func (c *call) tryOverlay(ctx context.Context) (works bool, err error) {
	upper, err := overlay.Make(c.environment.Root)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, upper.Remove()) }()
	if keeps, err := upper.HasAttributes(); err != nil || !keeps {
		return false, err
	}
	run := c.command()
	run.Text, run.Dir, run.Time = ":", c.environment.Project, tryTime
	run.Upper, run.Work = upper.Folders()
	_, err = c.shell.runner.Run(ctx, run)
	if setup, ok := errors.AsType[*confine.SetupError](err); ok && setup.OfFileTree() {
		return false, nil
	} else if err != nil {
		return false, notRun(err)
	}
	return true, nil
}

// mountTable is where Linux reports what is mounted.
const mountTable = "/proc/self/mountinfo"

// maxMountTable bounds what is read of it.
const maxMountTable = 16 << 20

// mountsInside reports whether something is mounted inside a folder. Where nobody can
// tell, it is.
func mountsInside(project string) bool {
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return true
	}
	table, _, err := durable.ReadFile(nil, mountTable, maxMountTable)
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(unescaped.Replace(fields[4]), real+"/") {
			return true
		}
	}
	return false
}

// unescaped are the characters of a path that the table writes as numbers.
var unescaped = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
