package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/persona"
	"belay/internal/workspace"
)

// Level says how much a check's finding matters.
type Level string

// The levels of a check.
const (
	OK      Level = "ok"
	Notice  Level = "notice"
	Problem Level = "problem"
)

// Check is one thing that belay needs or can use on this machine.
type Check struct {
	Name   string `json:"name"`
	Level  Level  `json:"level"`
	Detail string `json:"detail"`
	// Next is what to do about it, empty where nothing is to be done.
	Next string `json:"next,omitempty"`
}

// Doctor looks at what this machine has and lacks. It changes nothing but
// probe files that it removes again, and makes no network call. Problems are
// what is wrong with the configuration that cfg came from; each is a finding.
func Doctor(ctx context.Context, cfg *config.Config, problems ...config.Problem) []Check {
	checks := []Check{
		{Name: "system", Level: OK, Detail: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())},
	}
	for _, p := range problems {
		checks = append(checks, Check{
			Name: "configuration", Level: Problem, Detail: p.String(), Next: cmp.Or(p.Hint, "correct it; belay config check looks again"),
		})
	}
	if cfg.Paths.StateDir != "" && cfg.Paths.CacheDir != "" { // else that is one of the problems
		checks = append(checks, stateChecks(ctx, cfg)...)
		cache, _ := folder("cache folder", "XDG_CACHE_HOME", cfg.Paths.CacheDir)
		checks = append(checks, cache)
	}
	checks = append(checks, project(cfg), servedRoots(cfg), instructions(cfg), provider(cfg))
	checks = append(checks, tokenFile(cfg)...)
	checks = append(checks, limitsOfSystem(cfg)...)
	checks = append(checks, commands(ctx, cfg)...)
	ofMCP, told := mcpServers(cfg)
	checks = append(append(checks, ofMCP...), hookPrograms(cfg)...)
	for _, w := range cfg.Warnings {
		if slices.Contains(told, w) {
			continue
		}
		checks = append(checks, Check{Name: "configuration", Level: Notice, Detail: w, Next: "see belay config show"})
	}
	if ctx.Err() != nil {
		return checks[:0]
	}
	return checks
}

// stateChecks are those about the state folder. Where it cannot be used, nothing in it can:
// that is one problem.
func stateChecks(ctx context.Context, cfg *config.Config) []Check {
	dir := cfg.Paths.StateDir
	usable, at := folder("state folder", "BELAY_STATE_DIR or XDG_STATE_HOME", dir)
	if usable.Level == Problem {
		return []Check{usable}
	}
	if info, err := os.Stat(dir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		usable.Level, usable.Detail, usable.Next = Problem, "other users can write to "+dir, "chmod go-w "+dir
	}
	if at != dir { // nothing can be in it
		return []Check{usable, fileLocks(at)}
	}
	return []Check{usable, fileLocks(dir), servers(dir), unfinished(ctx, cfg)}
}

// folder checks that files can be made in dir, below the folder that a variable names. Where dir
// is not there yet, it looks at the folder in which it will be made, and returns that one.
func folder(name, variable, dir string) (c Check, at string) {
	c, at = Check{Name: name, Level: OK, Detail: dir}, existing(dir)
	if at != dir {
		c.Detail += ", which is made when it is needed"
	}
	f, err := durable.TempFile(at, ".doctor-")
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		why := err
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			why = at.Err // the name of the probe helps nobody
		}
		c.Level, c.Detail = Problem, fmt.Sprintf("%s cannot be written to: %v", dir, why)
		c.Next = "make the folder writable, or point " + variable + " elsewhere"
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			c.Next = "free disk space"
		}
	}
	return c, at
}

// existing is dir, or the nearest folder around it that is there.
func existing(dir string) string {
	for dir != "" && dir != filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// fileLocks checks that a lock really excludes: some network filesystems only
// pretend.
func fileLocks(stateDir string) Check {
	c := Check{Name: "file locks", Level: OK, Detail: "a second lock is refused"}
	path := filepath.Join(stateDir, ".doctor.lock")
	first, err := durable.Lock(path)
	if err != nil {
		return Check{Name: c.Name, Level: Problem, Detail: err.Error(), Next: "put the state folder on a local filesystem"}
	}
	if second, err := durable.Lock(path); err == nil {
		_ = second.Unlock() // it should not have been ours
		c.Level, c.Detail = Problem, "the filesystem of the state folder lets two owners have one lock"
		c.Next = "put the state folder on a local filesystem"
	}
	if err := first.Unlock(); err != nil {
		c.Level, c.Detail, c.Next = Problem, err.Error(), "put the state folder on a local filesystem"
	}
	_ = os.Remove(path) // an empty file is harmless
	return c
}

// unfinished tells of changes of project files that a crash cut off.
func unfinished(ctx context.Context, cfg *config.Config) Check {
	c := Check{Name: "changes of files", Level: OK, Detail: "none is half done"}
	pending, err := newJournal(cfg).Pending(ctx)
	if err != nil {
		return Check{Name: c.Name, Level: Problem, Detail: err.Error(), Next: "check the permissions of the state folder"}
	}
	var open []string
	for _, p := range pending {
		switch {
		case p.Problem != "":
			open = append(open, p.Problem)
			c.Level, c.Next = Problem, "run the version of belay that wrote it, in that project"
		case p.Outcome == nil:
			open = append(open, fmt.Sprintf("%s, begun %s in %s, is under way or was cut off", p.Owner.What, p.Time.Local().Format(time.DateTime), p.Project))
		}
	}
	if len(open) > 0 {
		c.Detail = strings.Join(open, "; ")
		if c.Level == OK {
			c.Level, c.Next = Notice, "the next command that reads the project settles it, such as belay project list; so do the next turn in it, and belay serve when it starts"
		}
	}
	return c
}

func project(cfg *config.Config) Check {
	folder := projectFolder(cfg)
	if folder == "" {
		return Check{Name: "project", Level: Problem, Detail: "the working folder is unknown", Next: "name the project folder with --project"}
	}
	clean, err := workspace.CheckRoot(folder, cfg.Instructions, PrivateFolders(cfg)...)
	if err != nil {
		f := fault.From(err)
		detail := strings.Replace(f.Message, "projectRoot", "the project folder "+folder, 1)
		return Check{Name: "project", Level: Problem, Detail: detail, Next: f.NextStep()}
	}
	return Check{Name: "project", Level: OK, Detail: clean}
}

// servedRoots tells which projects callers of a server could name.
func servedRoots(cfg *config.Config) Check {
	c := Check{Name: "served projects", Level: OK, Detail: "any, for callers on this machine"}
	roots := projectRoots(cfg)
	if roots == nil {
		return c
	}
	c.Detail = "in or below " + strings.Join(roots, ", ")
	if len(cfg.Server.ProjectRoots) == 0 {
		c.Level = Notice
		c.Next = "name the folders that callers on other machines may use in server.project_roots"
	}
	for _, root := range roots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			c.Level, c.Detail = Problem, root+" is not a folder that can be reached"
			c.Next = "correct server.project_roots"
		}
	}
	return c
}

func instructions(cfg *config.Config) Check {
	var list []persona.Summary
	root, err := openRoot(cfg)
	if err == nil {
		list, err = root.List()
	}
	if err != nil {
		f := fault.From(err)
		return Check{Name: "instructions", Level: Problem, Detail: f.Message, Next: f.NextStep()}
	}
	c := Check{Name: "instructions", Level: OK, Detail: cmp.Or(cfg.Instructions, "the embedded set")}
	for _, p := range list {
		if len(p.Warnings) > 0 {
			c.Level, c.Next = Notice, "correct the files; belay persona list shows what each says"
			c.Detail += "; " + p.File + ": " + strings.Join(p.Warnings, ", ")
		}
	}
	return c
}

// tokenFile looks at the file with the server's token, where one is named or must be.
func tokenFile(cfg *config.Config) []Check {
	if _, err := accessToken(cfg); err != nil {
		f := fault.From(err)
		return []Check{{Name: "token", Level: Problem, Detail: f.Message, Next: f.NextStep()}}
	}
	if cfg.TokenFile == "" {
		return nil
	}
	return []Check{{Name: "token", Level: OK, Detail: cfg.TokenFile}}
}

func servers(stateDir string) Check {
	all, err := Servers(stateDir)
	switch {
	case err != nil:
		return Check{Name: "servers", Level: Problem, Detail: err.Error(), Next: "make servers in the state folder a folder that you may read, or remove it"}
	case len(all) == 0:
		return Check{Name: "servers", Level: OK, Detail: "none is running"}
	}
	c := Check{Name: "servers", Level: OK, Detail: fmt.Sprintf("%d running", len(all))}
	for _, s := range all {
		c.Detail += ", " + s.URL
	}
	return c
}
