package test

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The folders of the system and belay's own are no projects, and nothing in them is
// served, by whatever name.
func TestPrivateFoldersAreNoProjects(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	id := s.session()
	state := p.state()
	home := filepath.Dir(filepath.Dir(state))
	links := t.TempDir()
	roots := map[string]string{
		"proc": "/proc", "a process": "/proc/self", "a project by way of a process": "/proc/self/root" + p.project,
		"sys": "/sys/kernel", "dev": "/dev", "a folder of dev": "/dev/shm", "not in normal form": "/tmp/..//proc/./self",
		"state": state, "a folder of the state": filepath.Join(state, "locks"),
		"cache": filepath.Join(home, "cache", "belay"), "scratch": filepath.Join(home, "cache", "belay", "scratch"),
		"configuration": filepath.Join(home, "config", "belay"),
		"records":       filepath.Join(p.project, ".belay"), "a session": filepath.Join(p.project, ".belay", "sessions", id),
	}
	must(t, os.MkdirAll(roots["configuration"], 0o700))
	for name, root := range map[string]string{
		"proc": "/proc", "sys": "/sys", "dev": "/dev/shm", "state": state, "above": home, "records": filepath.Join(p.project, ".belay"),
	} {
		must(t, os.Symlink(root, filepath.Join(links, name)))
		if name != "above" {
			roots["a link to "+name] = filepath.Join(links, name)
		}
	}
	roots["a folder behind a link to proc"] = filepath.Join(links, "proc", "self")
	roots["a folder behind a link above"] = filepath.Join(links, "above", "state", "belay", "locks")

	s.file("bridge.md", footbridge)
	s.file("flow.yaml", "id: flow\nagents: [{id: a, instructions: You answer.}]\ntasks: [{id: t, agent: a, prompt: hello}]\n")
	// These are tried on the command line, too.
	typed := map[string]bool{"a process": true, "dev": true, "state": true, "records": true, "a link to sys": true, "a link to state": true}
	for name, root := range roots {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{place: &place{t: t, project: p.project, env: p.env}, url: s.url}
			q := "projectRoot=" + url.QueryEscape(root)
			body := map[string]any{"projectRoot": root}
			with := func(more ...any) string {
				b := map[string]any{"projectRoot": root}
				for i := 0; i+1 < len(more); i += 2 {
					b[more[i].(string)] = more[i+1]
				}
				return jsonOf(b)
			}
			const refused = "WORKING_ROOT_INACCESSIBLE"
			for _, path := range []string{
				"/api/harness/session/list?", "/api/working-root/tree?", "/api/working-root/scope?", "/api/project/deliverables?",
				"/api/project/graph?", "/api/project/validate?", "/api/project/events?", "/api/project/file?path=environ&",
				"/api/project/file?path=session.json&", "/api/project/proposals?", "/api/workflow/list?", "/api/workflow/runs?",
				"/api/working-root/deliverable/status?deliverablePath=" + url.QueryEscape(root) + "&",
				"/api/working-root/deliverable/dependencies?deliverablePath=" + url.QueryEscape(root) + "&",
			} {
				s.fails(404, refused, "GET", path+q, "")
			}
			s.fails(404, refused, "POST", "/api/harness/session/create", jsonOf(body))
			s.fails(404, refused, "POST", "/api/working-root/validate", jsonOf(body))
			s.fails(404, refused, "POST", "/api/workflow/run", with("path", "flow.yaml"))
			s.fails(404, refused, "POST", "/api/harness/attachments/inspect", with("attachments", []string{filepath.Join(root, "x.txt")}))
			s.fails(404, refused, "POST", "/api/project/example", jsonOf(map[string]any{"projectRoot": filepath.Join(root, "new")}))
			s.fails(404, refused, "POST", "/api/harness/scaffold", jsonOf(map[string]any{
				"executionRoot": filepath.Join(root, "new"), "decompositionPath": filepath.Join(p.project, "bridge.md"), "coordinationMode": "HYBRID",
			}))
			if !typed[name] {
				return
			}
			for _, args := range [][]string{
				{"turn", "--project", root, "hello"}, {"run", filepath.Join(p.project, "flow.yaml"), "--project", root},
				{"session", "list", "--project", root}, {"project", "list", "--project", root},
				{"deps", "lint", "--project", root}, {"snapshot", "new", "_Estimates", "EST", "--project", root}, {"serve", "--addr", "127.0.0.1:0", "--project", root},
				{"project", "init", filepath.Join(root, "new"), "--decomposition", filepath.Join(p.project, "bridge.md")},
				{"session", "import", filepath.Join(p.project, ".belay", "sessions", id), "--project", root},
			} {
				var out bytes.Buffer
				cmd := s.command(args...)
				cmd.Stdout, cmd.Stderr = &out, &out
				must(t, cmd.Start())
				end := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }) // a server that serves it
				err := cmd.Wait()
				end.Stop()
				if err == nil || !strings.Contains(out.String(), "which never holds a project") || !strings.Contains(out.String(), "("+refused+")") {
					t.Errorf("belay %s: %v\n%s", strings.Join(args, " "), err, &out)
				}
			}
			if _, err := os.Lstat(filepath.Join(root, ".belay")); err == nil {
				t.Errorf("%s has a .belay folder now", root)
			}
		})
	}
}

// The root of the file system holds all of these folders, so it is no project either, by
// whatever name. What lies beside them may be one.
func TestTheRootFolderIsNoProject(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	link := filepath.Join(t.TempDir(), "top")
	must(t, os.Symlink("/", link))
	for _, root := range []string{"/", "//", "/tmp/..", link} {
		const refused = "WORKING_ROOT_INACCESSIBLE"
		q := "projectRoot=" + url.QueryEscape(root)
		s.fails(404, refused, "GET", "/api/harness/session/list?"+q, "")
		s.fails(404, refused, "GET", "/api/project/file?path=etc/hostname&"+q, "")
		if t.Failed() {
			t.FailNow() // or the next requests write into it
		}
		s.fails(404, refused, "POST", "/api/harness/session/create", jsonOf(map[string]any{"projectRoot": root}))
		s.fails(404, refused, "POST", "/api/project/example", jsonOf(map[string]any{"projectRoot": root}))
	}
	q := "projectRoot=" + url.QueryEscape(filepath.Join(link, p.project))
	if status, answer := s.do("GET", "/api/harness/session/list?"+q, ""); status != 200 {
		t.Errorf("a project by way of a link to the root: %d %s", status, answer)
	}
}

// A project that holds such folders is one, and a session of a project that has
// become a link to one is at an end.
func TestProjectsAroundPrivateFolders(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	home := filepath.Dir(filepath.Dir(p.state()))
	if status, answer := s.do("POST", "/api/harness/session/create", jsonOf(map[string]any{"projectRoot": home})); status != 200 {
		t.Errorf("the home folder: %d %s", status, answer)
	}
	s.fails(404, "NOT_FOUND", "GET", "/api/project/file?path=state/belay/audit.jsonl&projectRoot="+url.QueryEscape(home), "")

	s.project = filepath.Join(t.TempDir(), "project")
	must(t, os.Mkdir(s.project, 0o700))
	id := s.session()
	must(t, os.Rename(s.project, s.project+"-aside"))
	must(t, os.Symlink(p.state(), s.project))
	s.fails(404, "WORKING_ROOT_INACCESSIBLE", "GET", "/api/harness/session/list?projectRoot="+url.QueryEscape(s.project), "")
	if status, answer := s.do("POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "hello"})); status == 200 {
		t.Errorf("a turn in the state folder: %s", answer)
	}
}
