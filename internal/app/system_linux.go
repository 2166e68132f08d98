package app

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"belay/internal/config"
)

// What a busy server comfortably needs of the system.
const (
	wantFiles   = 4096
	wantWatches = 8192
	wantSpace   = 1 << 30
)

// limitsOfSystem looks at what the kernel grants this process.
func limitsOfSystem(cfg *config.Config) []Check {
	return append([]Check{openFiles(), watches()}, space(cfg.Paths.StateDir)...)
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

// space looks at the disk of the state folder. Where that folder is no folder, its own check
// says so.
func space(dir string) []Check {
	c := Check{Name: "disk space", Level: OK}
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return nil
	}
	free := s.Bavail * uint64(s.Bsize)
	c.Detail = fmt.Sprintf("%.1f GiB free for the state folder", float64(free)/(1<<30))
	if free < wantSpace {
		c.Level, c.Next = Notice, "free disk space, or let belay gc remove old logs"
	}
	return []Check{c}
}
