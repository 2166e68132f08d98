//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const opened = "# Status: DEL-01-01 X\n\n**Current State:** OPEN\n**Last Updated:** 2026-01-01\n\n## History\n- 2026-01-01 — State set to OPEN (PREPARATION)\n"

// A project with everything in it that should not be is listed and judged, on the
// command line and over HTTP: with findings, in bounded time, and nothing outside of
// it is told.
// Covers: workspace 1, 2, 12.3
func TestHostileProject(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	must(t, os.WriteFile(outside, []byte("# Status: DEL-01-03 X\n\n**Current State:** ISSUED\nthe secret\n"), 0o600))
	locked := hostileProject(t, p.project, outside)

	list := p.output(0, "project", "list", "--project", p.project)
	for _, want := range []string{"DEL-01-01    open ", "DEL-01-02    unknown", "DEL-01-03    unknown", "DEL-01-04    unknown", "DEL-01-05    open ", "DEL-01-06    unknown",
		"DEL-01-08    unknown", "DEL-01-09    unknown"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %q:\n%s", want, list)
		}
	}
	if strings.Contains(list, "issued") || strings.ContainsRune(list, 0x1b) {
		t.Errorf("the list is:\n%s", list)
	}
	text := p.output(1, "project", "validate", "--project", p.project, "--all")
	if strings.Contains(text, "secret") || strings.ContainsRune(text, 0x1b) {
		t.Errorf("the text is:\n%s", text)
	}

	s := p.serve()
	var report struct {
		Valid    bool
		Findings []struct{ Code, Path, Message, Fix string }
	}
	s.get(&report, "/api/project/validate", p.project)
	found := map[string]int{}
	for _, f := range report.Findings {
		found[f.Code]++
		if f.Fix == "" || strings.Contains(f.Message, "secret") {
			t.Errorf("a finding is %+v", f)
		}
	}
	want := map[string]int{
		"FILE_IS_NO_FILE": 9, "DUPLICATE_DELIVERABLE_ID": 2, "DUPLICATE_PACKAGE_ID": 1, "FOLDERS_TOO_DEEP": 2, "FOLDER_IS_LINK": 2, "STATUS_ENCODING": 1,
		"UNREADABLE_FILE": 1, "PROJECT_FILE_TOO_LARGE": 1, "READ_ERROR": 1, "PROJECT_FILE_NOT_TEXT": 1, "LABEL_NOT_SAFE": 1, "ROOT_NO_DECOMPOSITION": 1,
	}
	if locked {
		want["FOLDER_UNREADABLE"] = 2
	}
	for code, n := range want {
		if found[code] != n {
			t.Errorf("%d findings %s, want %d", found[code], code, n)
		}
	}
	if report.Valid || found["DELIVERABLE_NO_FOLDER"] != 0 {
		t.Errorf("the report is %+v", found)
	}

	var listing struct {
		Deliverables []struct{ ID, Status, Path string }
	}
	s.get(&listing, "/api/project/deliverables", p.project)
	if len(listing.Deliverables) != 11 {
		t.Errorf("%d deliverables: %+v", len(listing.Deliverables), listing.Deliverables)
	}
	for _, path := range []string{"/api/working-root/tree", "/api/working-root/scope", "/api/project/graph"} {
		var answer json.RawMessage
		s.get(&answer, path, p.project)
		if bytes.Contains(answer, []byte("the secret")) {
			t.Errorf("%s tells %s", path, answer)
		}
	}
	at := filepath.Join(p.project, "PKG-01_A", "1_Working")
	for folder, wants := range map[string]string{
		"DEL-01-02_pipes": "WORKSPACE_FILE_READ_FAILED", "DEL-01-03_links": "DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT", "DEL-01-04_folders": "WORKSPACE_FILE_READ_FAILED",
		"DEL-01-06_utf16": "INVALID_STATUS_FORMAT", "DEL-01-08_large": "WORKSPACE_FILE_READ_FAILED", "../../PKG-04_link": "DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT",
	} {
		status, body := s.do(http.MethodGet, "/api/working-root/deliverable/status?projectRoot="+url.QueryEscape(p.project)+
			"&deliverablePath="+url.QueryEscape(filepath.Join(at, folder)), "")
		if status < 400 || !strings.Contains(body, `"`+wants+`"`) {
			t.Errorf("%s: %d %s, want %s", folder, status, clip(body), wants)
		}
	}
	for _, file := range []string{"INIT.md", "_Coordination/_COORDINATION.md", "PKG-04_link/" + filepath.Base(outside), "../" + filepath.Base(p.project) + "/x", outside} {
		s.fails(http.StatusNotFound, "NOT_FOUND", http.MethodGet, "/api/project/file?projectRoot="+url.QueryEscape(p.project)+"&path="+url.QueryEscape(file), "")
	}
}

// output runs a command, which must be done within patience.
func (p *place) output(code int, args ...string) string {
	p.t.Helper()
	cmd := p.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	must(p.t, cmd.Start())
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !late.Stop() {
		p.t.Fatalf("belay %q did not end", args)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != code {
		p.t.Fatalf("belay %q: %v\n%s", args, err, errs.String())
	}
	return out.String()
}

// get reads a JSON answer about a project.
func (s *server) get(into any, path, project string) {
	s.t.Helper()
	status, body := s.do(http.MethodGet, path+"?projectRoot="+url.QueryEscape(project), "")
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, status, clip(body))
	}
	must(s.t, json.Unmarshal([]byte(body), into))
}

// hostileProject fills a root. It reports whether the root has folders that this
// user cannot enter: root can enter all.
func hostileProject(t *testing.T, root, outside string) (locked bool) {
	t.Helper()
	folder := func(path ...string) string {
		name := filepath.Join(append([]string{root}, path...)...)
		must(t, os.MkdirAll(name, 0o755))
		return name
	}
	deliverable := func(name string) string { return folder("PKG-01_A", "1_Working", name) }
	write := func(dir, name, text string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)) }
	pipe := func(dir, name string) { must(t, unix.Mkfifo(filepath.Join(dir, name), 0o600)) }
	link := func(target, dir, name string) { must(t, os.Symlink(target, filepath.Join(dir, name))) }
	huge := func(dir, name string) {
		write(dir, name, "a,b\n\"")
		must(t, os.Truncate(filepath.Join(dir, name), 100<<20)) // sparse
	}

	write(deliverable("DEL-01-01_fine"), "_STATUS.md", opened)
	write(deliverable("DEL-01-01_twice"), "_STATUS.md", opened)
	pipes := deliverable("DEL-01-02_pipes")
	pipe(pipes, "_STATUS.md")
	pipe(pipes, "_CONTEXT.md")
	pipe(pipes, "Dependencies.csv")
	links := deliverable("DEL-01-03_links")
	link(outside, links, "_STATUS.md")
	link(outside, links, "_CONTEXT.md")
	link("/dev/zero", links, "Dependencies.csv")
	folder("PKG-01_A", "1_Working", "DEL-01-04_folders", "_STATUS.md")
	write(deliverable("DEL-01-05_new\nline\x1b[31m"), "_STATUS.md", opened)
	wide := strings.ReplaceAll(opened, "", "\x00") // UTF-16, as editors of old wrote it
	write(deliverable("DEL-01-06_utf16"), "_STATUS.md", wide)
	write(deliverable("DEL-01-06_utf16"), "Dependencies.csv", "\xff\xfe"+wide)
	large := deliverable("DEL-01-08_large")
	huge(large, "_STATUS.md")
	huge(large, "Dependencies.csv")
	write(large, "_CONTEXT.md", strings.Repeat("\x00", 1000))
	write(large, "MEMORY.md", strings.Repeat("#", 100_000)+"\n"+strings.Repeat("**a**", 100_000))

	folder("PKG-001_A", "1_Working", "DEL-001-01_digits")
	link(filepath.Dir(outside), root, "PKG-04_link")
	link("..", filepath.Join(root, "PKG-01_A", "1_Working"), "DEL-01-10_up")
	link("/proc", root, "_Estimates")
	link(root, root, "_Archive")
	link(outside, folder("_Decomposition"), "x.md")
	pipe(folder("_Decomposition"), "y.md")
	pipe(root, "INIT.md")
	link("/dev/urandom", folder("_Coordination"), "_COORDINATION.md")
	deep(t, folder("_Deep"), 10_000)
	deep(t, deliverable("DEL-01-09_deep"), 100)

	for _, name := range []string{deliverable("DEL-01-07_locked"), folder("PKG-05_locked")} {
		must(t, os.Chmod(name, 0))
		t.Cleanup(func() { _ = os.Chmod(name, 0o700) }) //nolint:gosec // it is a folder
	}
	return os.Geteuid() != 0
}

// deep makes folders, each in the one before: their paths may be longer than the
// system takes.
func deep(t *testing.T, dir string, levels int) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	must(t, err)
	for range levels {
		must(t, unix.Mkdirat(at, "d", 0o700))
		next, err := unix.Openat(at, "d", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		must(t, err)
		must(t, unix.Close(at))
		at = next
	}
	must(t, unix.Close(at))
}
