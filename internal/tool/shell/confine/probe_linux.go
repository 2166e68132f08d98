package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"belay/internal/durable"
)

// probe tries what the machine holds, by running a command that does nothing
// with all means and leaving out those that fail.
func (r *Runner) probe() Report {
	found := Report{System: runtime.GOOS, Network: r.o.Network, PlainShell: plainShell()}
	if r.o.Off {
		found.Reasons = append(found.Reasons, "switched off by the configuration")
		found.judge()
		return found
	}
	without := r.o.Without
	if v := min(landlockVersion(), landlockUnix); v > 0 && !without.Landlock {
		found.Landlock = v
		found.leaveOut("Landlock", r, func(on bool, f *Report) { f.Landlock = pick(on, v) })
	} else if v == 0 {
		found.Reasons = append(found.Reasons, "the kernel has no Landlock")
	}
	if !without.Namespaces {
		found.leaveOut("namespaces", r, func(on bool, f *Report) { f.Namespaces = on })
	}
	if found.Namespaces && !without.Overlay {
		found.leaveOut("an overlay", r, func(on bool, f *Report) { f.Overlay, f.Namespaces = on, true })
	}
	if !without.Filter && hasFilter {
		found.leaveOut("the system call filter", r, func(on bool, f *Report) { f.Filter = on })
	}
	if !without.Cgroup {
		if _, err := r.cgroups(); err != nil {
			found.Reasons = append(found.Reasons, fmt.Sprintf("the memory of a whole command cannot be limited: %v", err))
		} else {
			found.leaveOut("a control group", r, func(on bool, f *Report) { f.Memory = on })
		}
	}
	found.judge()
	return found
}

func pick(on bool, v int) int {
	if on {
		return v
	}
	return 0
}

// leaveOut switches one of the means on where a command runs with it alone.
func (f *Report) leaveOut(name string, r *Runner, set func(on bool, f *Report)) {
	alone := Report{Network: f.Network}
	set(true, &alone)
	err := r.try(alone)
	set(err == nil, f)
	if err != nil {
		f.Reasons = append(f.Reasons, fmt.Sprintf("%s cannot be used: %v", name, err))
	}
}

// probeTime bounds the try of one of the means. It takes milliseconds. A machine that is busy
// when a server starts must not be without that means until the next start.
const probeTime = 30 * time.Second

// try runs a command that does nothing, in a folder of its own.
func (r *Runner) try(with Report) (err error) {
	temp, err := durable.TempDir(os.TempDir(), "belay-probe-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	dir := temp.Path
	if err := prepareScratch(dir); err != nil {
		return err
	}
	o := *r
	o.o.Hidden, o.o.ReadPaths = nil, nil
	c := Command{Text: ":", Dir: dir, Project: dir, Scratch: dir}
	if with.Overlay {
		for _, name := range []*string{&c.Upper, &c.Work} {
			if *name, err = os.MkdirTemp(dir, "overlay-*"); err != nil {
				return err
			}
			*name = filepath.Base(*name)
		}
	}
	p, err := o.plan(c, with)
	if err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	running, err := r.startIn(with, p, null, c)
	if err != nil {
		return err
	}
	late := time.AfterFunc(probeTime, running.end)
	defer late.Stop()
	e, err := running.wait()
	if err == nil && e.exitCode != 0 {
		err = fmt.Errorf("a command that does nothing ended with %d", e.exitCode)
	}
	return err
}
