package snapshot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/layout"
)

// publisher makes one snapshot.
type publisher struct {
	Target
	o     Options
	tools *os.Root
}

func (p *publisher) publish(ctx context.Context, build func(dir *os.Root) error) (_ Snapshot, err error) {
	if err := p.sweep(); err != nil {
		return Snapshot{}, storage("what a crash left cannot be removed", err)
	}
	if name, err := p.again(); name != "" || err != nil {
		return p.named(name), err
	}
	temp := tempPrefix + rand.Text()
	if err := durable.Mkdir(p.tools, temp, 0o777); err != nil {
		return Snapshot{}, storage("the snapshot cannot be made", err)
	}
	defer func() {
		if err != nil {
			_ = durable.RemoveAll(p.tools, temp) // the next publisher sweeps what is left
		}
	}()
	dir, err := p.tools.OpenRoot(temp)
	if err != nil {
		return Snapshot{}, storage("the snapshot cannot be made", err)
	}
	err = build(dir)
	var s Snapshot
	if err == nil {
		s, err = p.seal(ctx, dir)
	}
	if e := dir.Close(); err == nil && e != nil {
		err = storage("the snapshot cannot be made", e)
	}
	if err != nil {
		return Snapshot{}, err
	}
	if s, err = p.name(ctx, temp, s); err != nil {
		return Snapshot{}, err
	}
	return s, p.latest(s.Name)
}

// named is a snapshot of this target by its name.
func (p *publisher) named(name string) Snapshot {
	s := Snapshot{ToolRoot: p.ToolRoot, Name: name, Path: filepath.Join(p.Root, filepath.FromSlash(p.ToolRoot), name)}
	s.Manifest = filepath.Join(s.Path, ManifestFile)
	s.Pointer = filepath.Join(filepath.Dir(s.Path), layout.LatestFile)
	return s
}

// maxAgain bounds how many of the newest snapshots are looked into.
const maxAgain = 100

// again finds what is to be published among the snapshots that are there, and makes
// the pointer name it where it is the newest. It returns "" where it is none.
func (p *publisher) again() (string, error) {
	if p.Published == nil {
		return "", nil
	}
	names, err := namesIn(p.tools)
	if err != nil {
		return "", err
	}
	for i, name := range names[:min(len(names), maxAgain)] {
		if !strings.HasPrefix(name, p.Label+"_") {
			continue
		}
		dir, err := p.tools.OpenRoot(name)
		if err != nil {
			continue // whatever it is, it is not to be looked into
		}
		is := p.Published(dir)
		if err := dir.Close(); err != nil || !is {
			continue
		}
		if i == 0 {
			if err := p.latest(name); err != nil {
				return name, err
			}
		}
		return name, nil
	}
	return "", nil
}

// sweep removes what publishers that crashed left.
func (p *publisher) sweep() error {
	d, err := p.tools.Open(".")
	if err != nil {
		return err
	}
	var errs []error
	for {
		names, err := d.Readdirnames(1000)
		for _, name := range names {
			if strings.HasPrefix(name, tempPrefix) {
				errs = append(errs, durable.RemoveAll(p.tools, name))
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				errs = append(errs, err)
			}
			return errors.Join(append(errs, d.Close())...)
		}
	}
}

// latest makes _LATEST.md name a snapshot that is published, and says what is the
// case where it cannot.
func (p *publisher) latest(name string) error {
	err := p.point(name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, durable.ErrUnflushed):
		return fault.New(fault.StorageFailure, "%s is published, but the disk did not confirm it; a power cut may take it back", name).
			WithHint("check the disk; belay snapshot verify says whether the snapshot is whole").Because(err)
	}
	return fault.New(fault.StorageFailure, "%s is published, but %s does not point to it", name, layout.LatestFile).
		WithHint("make %s a file that your user may write, with the line \"Latest: %s\"", layout.LatestFile, name).Because(err)
}

const pointerMode = 0o666

// point makes _LATEST.md name a snapshot.
func (p *publisher) point(name string) error {
	text := fmt.Sprintf("Latest: %s\nUpdated: %s\n", name, p.o.Clock().UTC().Format("2006-01-02"))
	r := durable.Replacement{Data: []byte(text), Perm: pointerMode, Temp: tempPrefix + "pointer"} // which the next publisher sweeps
	return r.Put(p.tools, layout.LatestFile)
}

// problems gathers what makes contents unfit for a snapshot.
type problems []fault.Problem

// tooMany says that a file or folder is beyond the limit.
func tooMany(o Options) string {
	return fmt.Sprintf("is one too many; a snapshot holds at most %d files and folders", o.MaxFiles)
}

// maxProblems bounds how many are reported.
const maxProblems = 100

func (p *problems) add(path, why string) {
	if len(*p) < maxProblems {
		*p = append(*p, fault.Problem{Field: path, Message: why})
	}
}

// err is all of them as one INVALID_REQUEST.
func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return fault.Invalid(p)
}
