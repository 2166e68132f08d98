package app

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"belay/internal/config"
	"belay/internal/quantity"
)

// What a busy server comfortably needs of the system.
const (
	wantFiles   = 4096
	wantWatches = 8192
	wantSpace   = 1 << 30
	// needSpace is what the record of a short turn needs, with a margin.
	needSpace = 1 << 20
)

// limitsOfSystem looks at what the kernel grants this process.
func limitsOfSystem(cfg *config.Config) []Check {
	return append([]Check{openFiles(), watches()}, space(existing(cfg.Paths.StateDir), projectFolder(cfg))...)
}

func openFiles() Check {
	c := Check{Name: "open files", Level: OK}
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return Check{Name: c.Name, Level: Notice, Detail: err.Error()}
	}
	c.Detail = fmt.Sprintf("%d allowed", r.Max)
	if r.Max < wantFiles {
		c.Level, c.Next = Notice, fmt.Sprintf("raise the limit to %d or more (ulimit -n) for many turns at once", wantFiles)
	}
	return c
}

func watches() Check {
	c := Check{Name: "file watches", Level: OK}
	data, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return Check{Name: c.Name, Level: Notice, Detail: "unknown; belay polls where it cannot watch"}
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	c.Detail = fmt.Sprintf("%d allowed", n)
	if err != nil || n < wantWatches {
		c.Level, c.Next = Notice, fmt.Sprintf("raise fs.inotify.max_user_watches to %d; belay polls where it cannot watch", wantWatches)
	}
	return c
}

// space looks at the disk of the state folder and, where it is another one, at that of the
// project. Where a folder is no folder, its own check says so.
func space(stateDir, project string) (checks []Check) {
	var seen []uint64
	for _, of := range [][2]string{{stateDir, "the state folder"}, {project, "the project"}} {
		var disk unix.Statfs_t
		var at unix.Stat_t
		if unix.Statfs(of[0], &disk) != nil || unix.Stat(of[0], &at) != nil || slices.Contains(seen, at.Dev) {
			continue
		}
		seen = append(seen, at.Dev)
		checks = append(checks, spaceFor(of[1], disk.Bavail*uint64(disk.Bsize)))
	}
	return checks
}

// spaceFor judges how many bytes are free for something.
func spaceFor(what string, free uint64) Check {
	c := Check{Name: "disk space", Level: OK, Detail: quantity.Size(int64(min(free, math.MaxInt64))) + " free for " + what}
	if free < wantSpace {
		c.Level, c.Next = Notice, "free disk space, or let belay gc remove old logs"
	}
	if free < needSpace {
		c.Level, c.Detail = Problem, c.Detail+", too little for the record of a turn"
	}
	return c
}
