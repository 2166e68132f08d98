package snapshot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	temp := tempPrefix + rand.Text()
	if err := p.tools.Mkdir(temp, 0o777); err != nil {
		return Snapshot{}, storage("the snapshot cannot be made", err)
	}
	defer func() {
		if err != nil {
			_ = p.tools.RemoveAll(temp) // the next publisher sweeps what is left
		}
	}()
	dir, err := p.tools.OpenRoot(temp)
	if err != nil {
		return Snapshot{}, storage("the snapshot cannot be made", err)
	}
	err = build(dir)
	s := Snapshot{ToolRoot: p.ToolRoot}
	if err == nil {
		s.Files, s.Bytes, err = p.seal(ctx, dir)
	}
	if e := dir.Close(); err == nil && e != nil {
		err = storage("the snapshot cannot be made", e)
	}
	if err != nil {
		return Snapshot{}, err
	}
	if s.Name, err = p.name(temp); err != nil {
		return Snapshot{}, storage("the snapshot cannot be given its name", err)
	}
	s.Path = filepath.Join(p.Root, filepath.FromSlash(p.ToolRoot), s.Name)
	s.Manifest = filepath.Join(s.Path, ManifestFile)
	s.Pointer = filepath.Join(filepath.Dir(s.Path), layout.LatestFile)
	if err := p.point(s.Name); err != nil {
		return s, storage(s.Name+" is published, but "+layout.LatestFile+" does not point to it", err)
	}
	return s, nil
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
				errs = append(errs, p.tools.RemoveAll(name))
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

// maxOfMinute bounds how many snapshots with one label a minute has.
const maxOfMinute = 1000

// name gives the folder temp the first free name of this minute. A snapshot has a
// file, its manifest, so that no rename can take the place of one that is there.
func (p *publisher) name(temp string) (string, error) {
	minute := p.Label + "_" + p.o.Clock().UTC().Format("2006-01-02_1504")
	for n := 1; n <= maxOfMinute; n++ {
		name := minute
		if n > 1 {
			name = fmt.Sprintf("%s_%d", minute, n)
		}
		if _, err := p.tools.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return "", err
			}
			continue
		}
		err := p.tools.Rename(temp, name)
		if err == nil {
			return name, durable.SyncDir(p.tools, ".")
		}
		if _, taken := p.tools.Lstat(name); taken != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s has %d snapshots", minute, maxOfMinute)
}

// point makes _LATEST.md name a snapshot.
func (p *publisher) point(name string) error {
	text := fmt.Sprintf("Latest: %s\nUpdated: %s\n", name, p.o.Clock().UTC().Format("2006-01-02"))
	r := durable.Replacement{Data: []byte(text), Perm: 0o666, Temp: tempPrefix + "pointer"} // which the next publisher sweeps
	return r.Put(p.tools, layout.LatestFile)
}

// problems gathers what makes contents unfit for a snapshot.
type problems []fault.Problem

// maxProblems bounds how many are told.
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
