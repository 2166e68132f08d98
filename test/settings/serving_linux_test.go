package settings

import (
	"fmt"
	"io"
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
var streaming = map[string]check{}
