package settings

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"syscall"
)

// serving are the settings of the server.
var serving = map[string]check{
	"server.allowed_hosts": {
		set: "[belay.test]", shows: `^status 200`, without: `^status 403`,
		see: func(b *bench) string {
			return b.serve().ask("GET", "/api/harness/session/list?projectRoot="+b.project, nil, "Host", "belay.test")
		},
	},
	"server.project_roots": {
		set: "['{other}']", shows: `^status 4`, without: `^status 200`,
		see: func(b *bench) string {
			return b.serve().ask("POST", "/api/harness/session/create", map[string]any{"projectRoot": b.project})
		},
	},
	"server.body_bytes": {
		set: "1KiB", shows: `^status 413`, without: `^status 404`,
		see: func(b *bench) string {
			return b.serve().ask("POST", "/api/harness/turn", turnRequest{SessionID: "sess_1", Message: strings.Repeat("x", 2000)})
		},
	},
	"server.header_timeout": {
		set: "1s", shows: `^closed`, without: `^open`,
		see: func(b *bench) string {
			s := b.serve()
			c := s.dial()
			fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: %s\r\n", s.address())
			return s.closes(c)
		},
	},
	"server.body_timeout": {
		set: "1s", shows: `^closed: HTTP/1.1 408`, without: `^open`,
		see: func(b *bench) string {
			s := b.serve()
			c := s.dial()
			fmt.Fprintf(c, "POST /api/harness/turn HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", s.address())
			return s.closes(c)
		},
	},
	"server.header_bytes": {
		set: "1KiB", shows: `^status 431`, without: `^status 200`,
		see: func(b *bench) string {
			return b.serve().ask("GET", "/healthz", nil, "X-Long", strings.Repeat("x", 8000))
		},
	},
	"server.idle_timeout": {
		set: "1s", shows: `^closed`, without: `^open`,
		see: func(b *bench) string {
			s := b.serve()
			c := s.dial()
			fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", s.address())
			return s.closes(c)
		},
	},
	"server.max_turns_in_flight": {
		set: "1", shows: `^status 503.*OVERLOADED`, without: `^status 200`,
		see: func(b *bench) string {
			b.script("say: begun", "wait: 1m")
			s := b.serve()
			s.begin(s.session(), "begun")
			return fmt.Sprintf("status %d ", s.request("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "go"}).StatusCode) +
				s.overloaded()
		},
	},
	"server.max_streams": {
		set: "1", shows: `^status 503`, without: `^status 200`,
		see: func(b *bench) string {
			b.script("say: begun", "wait: 1m")
			s := b.serve()
			id := s.session()
			s.begin(id, "begun")
			return fmt.Sprintf("status %d", s.request("GET", "/api/harness/session/"+id+"/events", nil).StatusCode)
		},
	},
	"server.shutdown_grace": {
		set: "10ms", shows: `"interrupted":true`, without: `the end.*"exitCode":0`,
		see: func(b *bench) string {
			b.script("say: begun", "wait: 2s", "say: the end")
			s := b.serve()
			r := s.begin(s.session(), "begun")
			must(b.t, s.cmd.Process.Signal(syscall.SIGTERM))
			rest, _ := io.ReadAll(r)
			return string(rest)
		},
	},
}

// overloaded is the name of the error that a further turn gets.
func (s *server) overloaded() string {
	if !s.standard {
		return s.ask("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "go"})
	}
	return ""
}

// streaming are the settings of event streams.
var streaming = map[string]check{
	"sse.keepalive": {
		set: "1s", shows: `\n:`, without: `^(event|id|data|\n|[^:\n]+: [^\n]*)+$`,
		see: func(b *bench) string {
			b.script("say: begun", "wait: 3s", "say: the end")
			s := b.serve()
			return s.await(bufio.NewReader(s.request("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "go"}).Body), "process:exit")
		},
	},
	"sse.write_timeout": {
		set: "100ms", also: settings{"models": "{scripted: {context_tokens: 100000000, output_tokens: 10000000}}"},
		shows: `^dropped`, without: `^everything came`,
		see: func(b *bench) string {
			const turns = 4 // with more bytes than the system keeps for a reader
			b.script("say: " + strings.Repeat("x", 900<<10))
			s := b.serve()
			id := s.session()
			for range turns {
				s.ask("POST", "/api/harness/turn", turnRequest{SessionID: id, Message: "go"})
			}
			c := s.dial()
			must(b.t, c.SetReadBuffer(128<<10))
			fmt.Fprintf(c, "GET /api/harness/session/%s/events?after=0 HTTP/1.1\r\nHost: %s\r\n\r\n", id, s.address())
			s.settled(func() bool { return !s.connected(c.LocalAddr().String()) })
			r := bufio.NewReader(c)
			for ended := 0; ended < turns; {
				line, err := r.ReadString('\n')
				if err != nil {
					return fmt.Sprintf("dropped after %d turns", ended)
				}
				if strings.HasPrefix(line, "event: process:exit") {
					ended++
				}
			}
			return "everything came"
		},
	},
	"delta.interval": {
		set: "1m", also: settings{"scripted.pace": "40ms"}, shows: `^2 events`, without: `^([3-9]|\d\d+) events`,
		see: func(b *bench) string { return events(b.turn(strings.Repeat("word ", 20)), "chat:delta") },
	},
	"delta.bytes": {
		set: "100", also: settings{"delta.interval": "1m"}, shows: `^\d\d+ events`, without: `^[12] events`,
		see: func(b *bench) string { return events(b.turn(strings.Repeat("word ", 500)), "chat:delta") },
	},
}

// events counts the events of a type.
func events(lines, kind string) string {
	return fmt.Sprintf("%d events\n%s", strings.Count(lines, `"type":"`+kind+`"`), lines)
}

// connected reports whether the server still has a connection from an address.
func (s *server) connected(from string) bool {
	_, port, _ := strings.Cut(from, ":")
	var n int
	_, err := fmt.Sscan(port, &n)
	must(s.t, err)
	hex := fmt.Sprintf("%04X", n)
	for line := range strings.Lines(s.proc("net/tcp")) {
		f := strings.Fields(line)
		if len(f) > 3 && strings.HasSuffix(f[2], ":"+hex) && f[3] == "01" {
			return true
		}
	}
	return false
}
