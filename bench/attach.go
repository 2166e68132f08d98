package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"belay/bench/load"
	"belay/bench/material"
	"belay/bench/measure"
	"belay/bench/mock"
)

// together is how many clients attach at once, alone how many times a lone one
// does per round.
const (
	together = 10
	alone    = 3
)

// attachments measures turns with 18 MiB of files, sent to a service that
// drains them. The bare server reads, hashes, stores, flushes and sends them,
// and does not look at what they are.
func (b *bench) attachments(ctx context.Context) (_ []measure.Figure, err error) {
	upstream, err := mock.Start()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, upstream.Close()) }()
	p, err := b.open(ctx, setup{message: "What is in these files?", reply: mock.Reply, upstream: upstream.URL, sessions: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	f, err := newFiles(filepath.Join(p.dir, "attached"))
	if err != nil {
		return nil, err
	}
	a := attaching{upstream: upstream, files: f}
	if err := b.rounds(ctx, p, func(s *side) error { return a.round(ctx, s) }); err != nil {
		return nil, err
	}
	const row = "18 MiB attached"
	return []measure.Figure{
		a.one.Figure(row, "18 MiB attached (3 PNG, 1 PDF, never seen before), alone, p50", "ms", measure.AtMost(60).Beside(71.6)),
		a.again.Figure(row, "the same files again in a new session, alone, p50", "ms", nil),
		a.ten.Figure(row, "18 MiB attached, ten at once, slowest of the ten", "ms", measure.AtMost(350).Beside(381)),
		a.peak.Figure(row, "the same, most memory", "MB", measure.AtMost(400)),
	}, nil
}

type attaching struct {
	upstream              *mock.Server
	files                 *files
	one, again, ten, peak measure.Series
}

func (a *attaching) round(ctx context.Context, s *side) error {
	if err := a.files.renew(s.name()); err != nil {
		return err
	}
	var first, second []time.Duration
	for i := range alone {
		for _, times := range []*[]time.Duration{&first, &second} {
			if err := a.files.warm(); err != nil {
				return err
			}
			r, err := a.send(ctx, s, i, 1)
			if err != nil {
				return err
			}
			*times = append(*times, r.Total...)
		}
	}
	a.one.Add(s.bare, ms(load.Percentile(first, 50)))
	a.again.Add(s.bare, ms(load.Percentile(second, 50)))

	if err := a.files.renew(s.name()); err != nil {
		return err
	}
	if err := errors.Join(a.files.warm(), s.server.ForgetPeak()); err != nil {
		return err
	}
	r, err := a.send(ctx, s, 0, together)
	if err != nil {
		return err
	}
	a.ten.Add(s.bare, ms(load.Percentile(r.Total, 100)))
	m, err := s.server.Memory()
	a.peak.Add(s.bare, megabytes(m.Peak))
	return err
}

// send takes n turns at once, each in a new session with a set of files of its
// own, and checks that all of their bytes arrived.
func (a *attaching) send(ctx context.Context, s *side, set, n int) (load.Result, error) {
	var sessions []*load.Session
	for i := range n {
		one, err := s.newSessions(ctx, 1, map[string]any{"message": s.setup.message, "attachments": a.files.sets[set+i]})
		if err != nil {
			return load.Result{}, err
		}
		sessions = append(sessions, one...)
	}
	_, before := a.upstream.Drained()
	r, err := load.Loop(ctx, s.server.Addr, sessions, s.setup.lineBytes(), 0, 1)
	if err != nil {
		return r, err
	}
	_, after := a.upstream.Drained()
	if want := int64(n) * a.files.bytes * 4 / 3; after-before < want {
		return r, fmt.Errorf("the service received %d bytes, fewer than the %d of the files in base64", after-before, want)
	}
	return r, nil
}

// files are sets of four files, 18 MiB each.
type files struct {
	dir      string
	pictures [3][]byte
	sets     [][]string
	// bytes is the size of a set.
	bytes   int64
	renewed int
}

func newFiles(dir string) (*files, error) {
	f := &files{dir: dir}
	for i := range f.pictures {
		var err error
		if f.pictures[i], err = material.PNG(uint64(i)); err != nil {
			return nil, err
		}
	}
	return f, os.MkdirAll(dir, 0o755)
}

// writeFile writes a file and waits until the disk has it: what a server flushes
// afterwards is then its own, and not this program's.
func writeFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// warmBytes is how much warm touches: more than ten clients can make a server
// store and send.
const warmBytes = 3 * together * 18 << 20

// warm touches memory and gives it back. A virtual machine gets its memory from
// its host page by page, at the first touch, at a price far above that of using
// it, and gives back what it has not used for seconds; a measured server would
// pay for every page of file that it writes, and the figure would be the host's.
// The kernel hands out memory by the size of a write, hence several.
func (f *files) warm() error {
	for _, size := range []int{32 << 10, 256 << 10, 1 << 20} {
		if err := f.touch(make([]byte, size), warmBytes/3); err != nil {
			return err
		}
	}
	return nil
}

func (f *files) touch(chunk []byte, total int) error {
	path := filepath.Join(f.dir, "warm")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for n := 0; n < total && err == nil; n += len(chunk) {
		_, err = file.Write(chunk)
	}
	return errors.Join(err, file.Close(), os.Remove(path))
}

// renew writes all sets anew, with contents that no server has seen.
func (f *files) renew(who string) error {
	f.renewed++
	f.sets = f.sets[:0]
	for set := range together {
		f.bytes = 0
		var paths []string
		write := func(name string, data []byte) error {
			path := filepath.Join(f.dir, fmt.Sprintf("%d-%s", set, name))
			paths, f.bytes = append(paths, path), f.bytes+int64(len(data))
			return writeFile(path, data)
		}
		comment := fmt.Sprintf("%s, renewal %d, set %d", who, f.renewed, set)
		for i, picture := range f.pictures {
			if err := write(fmt.Sprintf("picture-%d.png", i+1), material.Stamp(picture, comment)); err != nil {
				return err
			}
		}
		if err := write("report.pdf", material.PDF(comment)); err != nil {
			return err
		}
		f.sets = append(f.sets, paths)
	}
	return nil
}
