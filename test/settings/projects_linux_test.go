package settings

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// projects are the limits of execution roots.
var projects = map[string]check{
	"workspace.max_folders": {
		set: "3", shows: `workspace.max_folders`, without: `looked at 2 packages, 4 deliverables`,
		see: func(b *bench) string { b.root(); return b.run("project", "validate") },
	},
	"workspace.max_depth": {
		set: "4", shows: `workspace.max_depth`, without: `^all was looked at`,
		see: func(b *bench) string {
			b.root()
			b.file("PKG-01_Bridge/1_Working/DEL-01-02_Handrails/a/b/c/d/e/f/g/notes.md", "x")
			return b.finding("workspace.max_depth")
		},
	},
	"workspace.file_bytes": {
		set: "1KiB", shows: `workspace.file_bytes`, without: `^all was looked at`,
		see: func(b *bench) string {
			b.root()
			b.file("PKG-01_Bridge/1_Working/DEL-01-02_Handrails/MEMORY.md", strings.Repeat("words\n", 1000))
			return b.finding("workspace.file_bytes")
		},
	},
	"workspace.view_bytes": {
		set: "1KiB", shows: `^1024 bytes`, without: `^\d{5} bytes|^[2-9]\d{3} bytes`,
		see: func(b *bench) string {
			b.file("long.txt", numbered(300))
			_, text, _ := strings.Cut(b.serve().ask("GET", "/api/project/file?projectRoot="+b.project+"&path=long.txt", nil), "\n")
			return fmt.Sprintf("%d bytes\n%s", len(text), text)
		},
	},
	"workspace.status_bytes": {
		set: "1KiB", shows: `exit code [1-9]`, without: `exit code 0`,
		see: func(b *bench) string {
			dir := b.root()
			text, err := readFile(dir + "/_STATUS.md")
			must(b.t, err)
			b.file(dir+"/_STATUS.md", text+strings.Repeat("\n<!-- a long remark -->", 100))
			return b.run("project", "status", ".", "DEL-01-02", "--to", "INITIALIZED", "--actor", "4_DOCUMENTS")
		},
	},
	"workspace.open_transitions": {
		set: "true", shows: `"from":"OPEN"`, without: `"reason":"operator"`,
		see: func(b *bench) string {
			dir := b.root()
			return b.serve().ask("POST", "/api/working-root/deliverable/status/transition", map[string]any{
				"projectRoot": b.project, "deliverablePath": dir, "targetState": "CHECKING", "actor": "HUMAN", "approvalSha": "0123456789",
			})
		},
	},
	"workspace.max_watches": {
		set: "0", shows: `"watch":"poll`, without: `"watch":"events"`,
		see: func(b *bench) string {
			b.root()
			s := b.serve()
			return s.await(bufio.NewReader(s.request("GET", "/api/project/events?projectRoot="+b.project, nil).Body), "data: ")
		},
	},
	"workspace.poll": {
		set: "1h", also: settings{"workspace.max_watches": "0"}, shows: `^nothing is told`, without: `^it is told`,
		see: func(b *bench) string {
			dir := b.root()
			s := b.serve()
			r := bufio.NewReader(s.request("GET", "/api/project/events?projectRoot="+b.project, nil).Body)
			s.await(r, "project:ready")
			told := make(chan struct{})
			go func() {
				defer close(told)
				for {
					line, err := r.ReadString('\n')
					if err != nil || strings.Contains(line, "project:changed") {
						return
					}
				}
			}()
			text, err := readFile(dir + "/_STATUS.md")
			must(b.t, err)
			b.file(dir+"/_STATUS.md", strings.Replace(text, "OPEN", "INITIALIZED", 1))
			wait := 5 * time.Second
			if b.standard {
				wait = patience / 2
			}
			select {
			case <-told:
				return "it is told"
			case <-time.After(wait):
				return "nothing is told"
			}
		},
	},
	"workspace.idle": {
		set: "1s", shows: `^given back`, without: `^kept`,
		see: func(b *bench) string {
			b.root()
			s := b.serve()
			s.ask("GET", "/api/project/deliverables?projectRoot="+b.project, nil)
			b.eventually("folders are watched", func() bool { return s.watches() > 3 })
			if b.settled(func() bool { return s.watches() <= 3 }) {
				return "given back"
			}
			return "kept"
		},
	},
	"workspace.proposals": {
		set: "1", shows: `\(workspace.proposals\)`, without: `"ok":true.*"ok":true`,
		see: func(b *bench) string { b.root(); return b.propose() },
	},
	"workspace.proposals_kept": {
		set: "1", shows: `^3 kept`, without: `^4 kept`,
		see: func(b *bench) string {
			b.root()
			out := b.propose()
			list := b.run("deps", "proposals", "--json")
			for _, id := range idsOf(list) {
				out += b.run("deps", "dismiss", ".", id)
			}
			out += b.propose() // the oldest go when new ones come
			n := 0
			for name := range strings.Lines(b.under(b.project + "/.belay/proposals")) {
				if strings.HasSuffix(strings.TrimSpace(name), ".json") {
					n++
				}
			}
			return fmt.Sprintf("%d kept\n%s\n%s\n%s", n, b.under(b.project+"/.belay"), list, out)
		},
	},
}

// root makes the project an execution root and returns the folder of a deliverable
// that is open.
func (b *bench) root() string {
	b.t.Helper()
	must(b.t, os.CopyFS(b.project, os.DirFS("../../examples/project")))
	return filepath.Join(b.project, "PKG-01_Bridge/1_Working/DEL-01-02_Handrails")
}

// finding is what the project's findings say of a limit.
func (b *bench) finding(limit string) string {
	b.t.Helper()
	if text := b.run("project", "validate", "--all"); strings.Contains(text, limit) {
		return text
	}
	return "all was looked at"
}

// watches counts the folders that the server has the system watch.
func (s *server) watches() (n int) {
	s.t.Helper()
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", s.cmd.Process.Pid))
	for _, f := range all {
		text, _ := readFile(f)
		n += strings.Count(text, "inotify wd:")
	}
	return n
}

// propose is a turn that proposes registers for two deliverables.
func (b *bench) propose() string {
	b.t.Helper()
	return b.calls("{name: project.propose, input: {deliverable: DEL-01-01, rows: [{DependencyID: DEP-01-01-001, Confidence: LOW}]}}",
		"{name: project.propose, input: {deliverable: DEL-01-01, rows: [{DependencyID: DEP-01-01-001, Confidence: HIGH}]}}")
}

func idsOf(list string) (ids []string) {
	for _, part := range strings.Split(list, `"id": "`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		ids = append(ids, id)
	}
	return ids
}
