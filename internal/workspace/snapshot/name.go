package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/layout"
)

// dated is the name of a snapshot of the target that is published at a time, without a number.
func (t Target) dated(at time.Time) string { return t.Label + "_" + at.UTC().Format("2006-01-02_1504") }

// Next is the name that a snapshot of the target gets which is published at a time, as things
// are. Project is the opened project. What is wrong with the tool root [Publish] says.
func (t Target) Next(project *os.Root, at time.Time) (string, error) {
	minute := t.dated(at)
	tools, err := durable.OpenFolder(project, t.ToolRoot)
	if err != nil {
		return minute, nil //nolint:nilerr // it has no snapshot, or Publish refuses it
	}
	defer tools.Close()
	before, err := namesIn(tools)
	if err != nil {
		return "", err
	}
	return free(tools, before, minute)
}

// maxOfMinute bounds how many snapshots a minute has.
const maxOfMinute = 1000

// free is the first name of a minute that nothing in the tool root has, with a number after those of
// all labels: the newest snapshot is the one with the highest. Before are the snapshots that are there.
func free(tools *os.Root, before []string, minute string) (string, error) {
	first := 1
	at, _ := layout.SnapshotTime(minute)
	for _, name := range before {
		if is, number := layout.SnapshotTime(name); is == at && number < maxOfMinute {
			first = max(first, number+1)
		}
	}
	for n := first; n <= maxOfMinute; n++ {
		name := minute
		if n > 1 {
			name = fmt.Sprintf("%s_%d", minute, n)
		}
		switch _, err := tools.Lstat(name); {
		case errors.Is(err, fs.ErrNotExist):
			return name, nil
		case err != nil:
			return "", unnamed(err)
		}
	}
	return "", unnamed(fmt.Errorf("%s has %d snapshots", minute, maxOfMinute))
}

func unnamed(err error) error { return storage("the snapshot cannot be given its name", err) }

// name gives the folder temp, which holds a sealed snapshot, its name. A snapshot has a file, its
// manifest, so that no rename can take the place of one that is there.
func (p *publisher) name(ctx context.Context, temp string, sealed Snapshot) (Snapshot, error) {
	minute := p.dated(p.o.Clock())
	for {
		before, err := namesIn(p.tools)
		if err != nil {
			return Snapshot{}, err
		}
		name := p.Name
		if name == "" {
			name, err = free(p.tools, before, minute)
		} else if other := overtaken(before, name, minute); other != "" {
			err = fault.New(fault.ContentChanged, "%s has %s by now, so that a snapshot %s would not be the newest", p.ToolRoot, other, name).
				With("paths", []string{path.Join(p.ToolRoot, other)}).WithHint("publish it again: it gets another name")
		}
		if err != nil {
			return Snapshot{}, err
		}
		s := p.named(name)
		s.Files, s.Bytes, s.SHA256 = sealed.Files, sealed.Bytes, sealed.SHA256
		var renamed error
		err = p.o.Record.Make(ctx, "snapshot", p.record(s), func() error {
			renamed = durable.Rename(p.tools, temp, name) // the name is flushed with that of the pointer
			return renamed
		})
		if renamed == nil {
			return s, err
		}
		if _, taken := p.tools.Lstat(name); taken != nil || p.Name != "" {
			return Snapshot{}, unnamed(renamed)
		}
	}
}

// overtaken is a snapshot that was published at the latest in a minute, given as a name of it, and
// is not older than the one of a name; "" for none. Those of times to come are another clock's.
func overtaken(all []string, name, minute string) string {
	now, _ := layout.SnapshotTime(minute)
	for _, other := range all {
		if at, _ := layout.SnapshotTime(other); other == name || at <= now && layout.CompareSnapshots(other, name) >= 0 {
			return other
		}
	}
	return ""
}

// namesIn are the names of the snapshots in a tool root, the newest first.
func namesIn(tools *os.Root) ([]string, error) {
	d, err := tools.Open(".")
	if err != nil {
		return nil, storage("the tool root cannot be read", err)
	}
	names, err := d.Readdirnames(-1)
	if err := errors.Join(err, d.Close()); err != nil {
		return nil, storage("the tool root cannot be read", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !layout.IsSnapshot(name) })
	slices.SortFunc(names, newer)
	return names, nil
}

// newer compares two snapshots by their names, for a list that has the newest first.
func newer(a, b string) int { return cmp.Or(layout.CompareSnapshots(b, a), strings.Compare(b, a)) }
