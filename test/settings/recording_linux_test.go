package settings

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// recording are the settings of sessions, logs and stored files.
var recording = map[string]check{
	"session.idle_close": {
		set: "1s", shows: `^closed`, without: `^open`,
		see: func(b *bench) string {
			s := b.serve()
			s.ask("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "go"})
			if b.settled(func() bool { return len(s.open(b.project+"/.belay/sessions")) == 0 }) {
				return "closed"
			}
			return fmt.Sprintf("open %q", s.open(b.project))
		},
	},
	"session.idle_max": {
		set: "1", also: settings{"session.idle_close": "1h"}, shows: `^[0-2] sessions`, without: `^([3-9]|\d\d+) sessions`,
		see: func(b *bench) string {
			s := b.serve()
			for range 3 {
				s.ask("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "go"})
			}
			count := func() int {
				ids := map[string]bool{}
				for _, path := range s.open(b.project + "/.belay/sessions/") {
					ids[strings.Split(strings.TrimPrefix(path, b.project+"/.belay/sessions/"), "/")[0]] = true
				}
				return len(ids)
			}
			b.settled(func() bool { // it is looked after when one is opened
				s.ask("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "go"})
				return count() <= 2
			})
			return fmt.Sprintf("%d sessions", count())
		},
	},
	"session.poll": {
		set: "1h", shows: `^nothing came`, without: `^it came`,
		see: func(b *bench) string {
			// A system that gives no notifications: a name space that may have none.
			s := &server{bench: b, cmd: b.command("serve", "--addr", "127.0.0.1:0"), log: &output{}}
			s.cmd.Args = append([]string{"sh", "-c", `echo 0 >/proc/sys/user/max_inotify_instances && exec "$0" "$@"`, s.cmd.Path}, s.cmd.Args[1:]...)
			shell, err := exec.LookPath("sh")
			must(b.t, err)
			s.cmd.Path = shell
			s.cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			s.listen()
			id := s.session()
			r := bufio.NewReader(s.request("GET", "/api/harness/session/"+id+"/events?after=0", nil).Body)
			came := make(chan struct{})
			go func() {
				defer close(came)
				for {
					line, err := r.ReadString('\n')
					if err != nil || strings.Contains(line, "process:exit") {
						return
					}
				}
			}()
			b.turn("--session", id, "go") // in another process
			wait := 3 * time.Second
			if b.standard {
				wait = patience
			}
			select {
			case <-came:
				return "it came"
			case <-time.After(wait):
				return "nothing came"
			}
		},
	},
	"session.import_bytes": {
		set: "1MiB", shows: `session.import_bytes|1048576|1 MiB`, without: `exit code 0`,
		see: func(b *bench) string {
			b.file("big.txt", strings.Repeat("some words\n", 200_000))
			id := sessionOf(b.turn("--attach", "big.txt", "go"))
			b.run("session", "export", id, b.other+"/talk.tar.gz")
			b.run("session", "delete", id)
			return b.run("session", "import", b.other+"/talk.tar.gz")
		},
	},
	"session.import_files": {
		set: "1", shows: `session.import_files|more than 1`, without: `exit code 0`,
		see: func(b *bench) string {
			id := sessionOf(b.turn("go"))
			b.run("session", "export", id, b.other+"/talk.tar.gz")
			b.run("session", "delete", id)
			return b.run("session", "import", b.other+"/talk.tar.gz")
		},
	},
	"log.segment_bytes": {
		set: "64KiB", shows: `000[2-9].jsonl`, without: `^0001.jsonl\n$`,
		see: func(b *bench) string {
			b.script("say: " + strings.Repeat("word ", 50_000))
			id := sessionOf(b.turn("go"))
			b.turn("--session", id, "more")
			return b.under(b.project + "/.belay/sessions/" + id + "/log")
		},
	},
	"log.tail_bytes": {
		set: "64MiB", also: settings{"models": "{scripted: {context_tokens: 100000000, output_tokens: 10000000}}"},
		shows: `^from memory`, without: `^from the file`,
		see: func(b *bench) string {
			b.script("say: "+strings.Repeat("word ", 150_000), "wait: 1m")
			s := b.serve()
			id := s.session()
			r := s.begin(id, "event: ")
			seen := 0
			for seen < 700_000 { // the turn still runs
				line, err := r.ReadString('\n')
				must(b.t, err)
				seen += len(line)
			}
			before := s.reads()
			again := bufio.NewReader(s.request("GET", "/api/harness/session/"+id+"/events?after=0", nil).Body)
			for seen = 0; seen < 700_000; {
				line, err := again.ReadString('\n')
				must(b.t, err)
				seen += len(line)
			}
			n := s.reads() - before
			if n < 300_000 {
				return fmt.Sprintf("from memory: %d bytes were read", n)
			}
			return fmt.Sprintf("from the file: %d bytes were read", n)
		},
	},
	"log.retention": {
		set: "1d", also: settings{"log.segment_bytes": "64KiB"}, shows: `^000[2-9].jsonl`, without: `^0001.jsonl`,
		see: func(b *bench) string {
			b.script("say: " + strings.Repeat("word ", 50_000))
			id := sessionOf(b.turn("go"))
			b.turn("--session", id, "more")
			b.age(b.project+"/.belay/sessions", 48*time.Hour)
			b.run("gc")
			return b.under(b.project + "/.belay/sessions/" + id + "/log")
		},
	},
	"blobs.retention": {
		set: "1d", shows: `^$`, without: `[0-9a-f]{64}`,
		see: func(b *bench) string {
			b.file("a.txt", "some text")
			id := sessionOf(b.turn("--attach", "a.txt", "go"))
			b.turn("another session of the project")
			b.run("session", "delete", id)
			b.age(b.project+"/.belay/blobs", 48*time.Hour)
			b.run("gc")
			return b.under(b.project + "/.belay/blobs")
		},
	},
}

// reads is how many bytes the server's process has read.
func (s *server) reads() (n int) {
	s.t.Helper()
	_, err := fmt.Sscanf(s.proc("io"), "rchar: %d", &n)
	must(s.t, err)
	return n
}

// busing are the settings of the bus.
var busing = map[string]check{
	"bus.enabled": {
		set: "on", shows: `^stream`, without: `^no stream`,
		see: func(b *bench) string { return b.stream() },
	},
	"bus.max_bytes": {
		set: "2MiB", shows: `"max_bytes":2097152\b`, without: `"max_bytes":268435456\b`,
		see: func(b *bench) string { return b.stream() }, also: settings{"bus.enabled": "on"},
	},
	"bus.max_age": {
		set: "1h", shows: `"max_age":3600000000000\b`, without: `"max_age":86400000000000\b`,
		see: func(b *bench) string { return b.stream() }, also: settings{"bus.enabled": "on"},
	},
	"bus.ack_timeout": {
		// A batch that was not confirmed in time is sent again. The stream remembers half
		// as long again which messages it has.
		set: "100ms", shows: `"duplicate_window":150000000\b`, without: `"duplicate_window":250000000\b`,
		see: func(b *bench) string { return b.stream() }, also: settings{"bus.enabled": "on"},
	},
}

// stream is what a server keeps of the bus on disk.
func (b *bench) stream() string {
	b.t.Helper()
	s := b.serve()
	s.ask("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "go"})
	s.stop()
	var all strings.Builder
	for name := range strings.Lines(b.under(b.home + "/state")) {
		if name = strings.TrimSuffix(name, "\n"); strings.HasSuffix(name, "meta.inf") && strings.Contains(name, "streams") {
			text, err := readFile(filepath.Join(b.home, "state", name))
			must(b.t, err)
			all.WriteString(text)
		}
	}
	if all.Len() == 0 {
		return "no stream"
	}
	return "stream " + all.String()
}
