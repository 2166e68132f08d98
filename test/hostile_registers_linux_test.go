package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"
)

// memoryMost is what a process may take that looks at the project of these tests.
const memoryMost = 640 << 20

// badRegisters are the contents of registers that no program should be given, and
// what is found first.
func badRegisters() map[string]struct {
	data []byte
	code string
} {
	lines := strings.SplitAfter(surveyRegister, "\n")
	text := strings.Join(lines, "")
	var wide bytes.Buffer
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		wide.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	bomb := []byte(strings.TrimSpace(lines[0]) + "," + strings.Repeat("x", 1<<20) + "\n" + strings.Repeat("a\n", 60_000))
	return map[string]struct {
		data []byte
		code string
	}{
		"cut short":         {[]byte(text[:len(text)-60]), "MISSING_CORE_COLUMNS"},
		"an open quote":     {[]byte(strings.Replace(text, "a.md", `"a.md`, 1)), "UNTERMINATED_QUOTE"},
		"NUL":               {[]byte(strings.Replace(text, "a.md", "a\x00.md", 1)), "NUL_CHARACTER"},
		"a cell of 100 MB":  {append([]byte(lines[0]), bytes.Repeat([]byte("x"), 100<<20)...), "READ_ERROR"},
		"a cell of 1 MB":    {append([]byte(lines[0]), bytes.Repeat([]byte("x"), 1<<20)...), "MALFORMED_CSV"},
		"commas":            {bytes.Repeat([]byte(","), 4<<20), "READ_ERROR"},
		"quotes":            {bytes.Repeat([]byte(`"`), 4<<20), "MALFORMED_CSV"},
		"millions of rows":  {append([]byte(lines[0]), bytes.Repeat([]byte("a\n"), 1<<20)...), "READ_ERROR"},
		"a name of 1 MB":    {bomb, "MALFORMED_CSV"},
		"UTF-16":            {wide.Bytes(), "UNREADABLE_FILE"},
		"Latin-1":           {[]byte(strings.Replace(text, "a.md", "\xe9.md", 1)), "UNREADABLE_FILE"},
		"two marks":         {[]byte("\ufeff\ufeff" + text), "UNKNOWN_COLUMN"},
		"CR alone":          {[]byte(strings.ReplaceAll(text, "\r\n", "\r")), "LONE_CARRIAGE_RETURN"},
		"a column twice":    {[]byte(strings.Replace(text, ",LastSeen,", ",FirstSeen,", 1)), "DUPLICATE_COLUMN"},
		"nothing":           {nil, "MISSING_HEADER"},
		"another separator": {[]byte(strings.ReplaceAll(text, ",", ";")), "MISSING_CORE_COLUMNS"},
		"findings":          {[]byte(lines[0] + strings.Repeat(",x\n", 20_000)), "MORE_FINDINGS"},
	}
}

// Registers that would crash, fill the memory or be misread: each is a finding, by
// every way in, and none is changed.
//
// Covers: workspace 6.2
func TestHostileRegisters(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bad := badRegisters()
	names := make([]string, 0, len(bad))
	for name := range bad {
		names = append(names, name)
	}
	slices.Sort(names)
	folder := func(i int) string { return fmt.Sprintf("PKG-01_A/1_Working/DEL-01-%02d_x", i+10) }
	for i, name := range names {
		must(t, os.MkdirAll(filepath.Join(p.project, folder(i)), 0o755))
		p.file(folder(i)+"/_STATUS.md", "**Current State:** OPEN\n")
		must(t, os.WriteFile(filepath.Join(p.project, folder(i), "Dependencies.csv"), bad[name].data, 0o600))
	}
	for _, args := range [][]string{{"deps", "lint", "--json"}, {"project", "validate", "--json"}} {
		codes := codesOf(t, p.bounded(1, args...))
		for i, name := range names {
			if want := bad[name].code; !slices.Contains(codes[folder(i)+"/Dependencies.csv"], want) {
				t.Errorf("%s: %s: no %s", args[0], name, want)
			}
		}
	}
	p.bounded(0, "deps", "graph", "--json")

	s := p.serve()
	for i, name := range names {
		at := "/api/working-root/deliverable/dependencies"
		path := filepath.Join(p.project, folder(i))
		status, answer := s.do("GET", at+"?projectRoot="+url.QueryEscape(p.project)+"&deliverablePath="+url.QueryEscape(path), "")
		if status != 200 && !(status == 500 && strings.Contains(answer, "WORKSPACE_FILE_READ_FAILED")) || len(answer) > 130<<20 {
			t.Errorf("%s: %d, %d bytes: %s", name, status, len(answer), clip(answer))
		}
		if name == "nothing" {
			continue // rows may be written to an empty register
		}
		status, answer = s.do("PUT", at, jsonOf(map[string]any{"projectRoot": p.project, "deliverablePath": path, "rows": []any{}}))
		if status == 200 && bad[name].data != nil && strings.Contains(answer, `"rows":[{`) {
			t.Errorf("%s: rows went: %s", name, clip(answer))
		}
	}
	must(t, terminate(s.cmd))
	_ = s.cmd.Wait()
	checkMemory(t, "serve", s.cmd)
	for i, name := range names {
		if data, err := os.ReadFile(filepath.Join(p.project, folder(i), "Dependencies.csv")); err != nil || !bytes.Equal(data, bad[name].data) {
			t.Errorf("%s: the file changed: %v", name, err)
		}
	}
}

// bounded runs a command that has to end with this code, within the memory, and
// returns what it wrote.
func (p *place) bounded(code int, args ...string) []byte {
	p.t.Helper()
	cmd := p.command(args...)
	var told bytes.Buffer
	cmd.Stderr = &told
	out, _ := cmd.Output()
	if cmd.ProcessState.ExitCode() != code {
		p.t.Fatalf("%s: %v\n%s", args, cmd.ProcessState, &told)
	}
	checkMemory(p.t, strings.Join(args, " "), cmd)
	return out
}

func checkMemory(t *testing.T, what string, cmd *exec.Cmd) {
	t.Helper()
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	// A process begins with the memory of the one that started it, which here may
	// have more: what is no larger than that tells nothing.
	if !ok || used.Maxrss > memoryMost>>10 && used.Maxrss > ownMost(t) {
		t.Errorf("%s took %d KiB", what, used.Maxrss)
	}
}

// ownMost is the most memory that this process had, in KiB.
func ownMost(t *testing.T) int64 {
	t.Helper()
	var own syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &own))
	return own.Maxrss
}

// codesOf are the codes of the findings in a report, by the path of the file.
func codesOf(t *testing.T, report []byte) map[string][]string {
	t.Helper()
	type found struct{ Path, Code string }
	var r struct {
		Findings []found
		Files    []struct{ Findings []found }
	}
	must(t, json.Unmarshal(report, &r))
	for _, f := range r.Files {
		r.Findings = append(r.Findings, f.Findings...)
	}
	codes := map[string][]string{}
	for _, f := range r.Findings {
		codes[f.Path] = append(codes[f.Path], f.Code)
	}
	return codes
}
