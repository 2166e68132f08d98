package test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that fills up under a server costs the turn that needed the room, which
// says so, and nothing that was on record; with room again the session goes on.
// The disk is a small one of the test's own, in a mount namespace that ends with
// the server; package turn tests the same without one.
//
// Covers: turn-api REQ-12
func TestFullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	program, err := belay()
	must(t, err)
	// The server's folders stay on the real disk: they are not what is tested.
	s := &server{place: p, err: &bytes.Buffer{}}
	s.cmd = p.command()
	s.cmd.Path, s.cmd.Args = "/bin/sh", []string{"sh", "-c",
		`mount -t tmpfs -o size=2m,mode=777 tmpfs "$1" && cd "$1" && exec "$2" serve --addr 127.0.0.1:0`, "sh", p.project, program}
	s.cmd.SysProcAttr = inMountNamespace()
	if why := s.start(); why != "" {
		t.Skipf("skipped: this system does not let the test mount a small disk: %s", why)
	}
	id := s.session()
	s.turn(map[string]any{"sessionId": id, "message": "first words"})

	// The test sees the small disk through the server's own view of the files.
	disk := filepath.Join("/proc", jsonOf(s.cmd.Process.Pid), "root", p.project)
	ballast := filepath.Join(disk, "ballast")
	f, err := os.Create(ballast)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	must(t, f.Close())

	failed := false
	for range 20 { // what is left of the last page fills up
		res, err := s.post("/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": strings.Repeat("word ", 200)}))
		must(t, err)
		if res.StatusCode == 507 {
			_ = res.Body.Close()
			failed = true
			break
		}
		exit := last(t, events(t, res.Body))
		_ = res.Body.Close()
		if exit.name != "process:exit" {
			t.Fatalf("the stream ended with %+v", exit)
		}
		if exit.data["exitCode"] == 1.0 {
			if exit.data["errorType"] != "STORAGE_FAILURE" {
				t.Errorf("the turn ended with %v", exit.data)
			}
			failed = true
			break
		}
	}
	if !failed {
		t.Fatal("no turn noticed that the disk is full")
	}
	must(t, os.Remove(ballast))
	all := s.turn(map[string]any{"sessionId": id, "message": "and on"})
	if exit := last(t, all).data; exit["exitCode"] != 0.0 {
		t.Errorf("with room again the turn ended with %v", exit)
	}
	if said := jsonOf(all[0].data["warnings"]); strings.Contains(said, "RECORD_CHANGED") {
		t.Errorf("a full disk looks like tampering: %s", said)
	}
	if _, transcript := s.do("GET", "/api/harness/session/"+id+"/transcript", ""); !strings.Contains(transcript, "first words") || !strings.Contains(transcript, "and on") {
		t.Errorf("transcript %s", clip(transcript))
	}
	(&place{t: t, project: disk}).checkRecord(id)
}

// inMountNamespace begins a process that may mount disks which nobody else sees.
func inMountNamespace() *syscall.SysProcAttr {
	if os.Geteuid() == 0 {
		return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	}
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
}
