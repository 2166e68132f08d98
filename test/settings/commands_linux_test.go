package settings

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// commands are the settings of bash.
var commands = map[string]check{
	"bash.enabled": {
		set: "false", shows: `"ok":false`, without: `it ran`,
		see: func(b *bench) string { return b.result("echo it ran") },
	},
	"bash.timeout": {
		set: "1s", shows: `"ok":false`, without: `it ended`,
		see: func(b *bench) string { return b.result("sleep 2; echo it ended") },
	},
	"bash.timeout_max": {
		set: "1s", also: settings{"bash.timeout": "1s"}, shows: `"ok":false`, without: `it ended`,
		see: func(b *bench) string {
			return resultOf(b.calls(`{name: bash, input: {command: "sleep 2; echo it ended", timeout_ms: 20000}}`))
		},
	},
	"bash.confine": {
		set: "false", shows: `reached it`, without: `refused it`,
		see: func(b *bench) string {
			b.file(b.other+"/secret", "x")
			return b.approved("cat " + b.other + "/secret >/dev/null 2>&1 && echo reached it || echo refused it")
		},
	},
	"bash.network": {
		set: "open", shows: `reached it`, without: `refused it`,
		see: func(b *bench) string { return b.connect(b.listen()) },
	},
	"bash.connect_ports": {
		set: "", also: settings{"bash.network": "ports"}, shows: `reached it`, without: `refused it`,
		see: func(b *bench) string {
			port := b.listen()
			if !b.standard {
				b.settings["bash.connect_ports"] = fmt.Sprintf("[%d]", port)
			}
			return b.connect(port)
		},
	},
	"bash.listen_ports": {
		set: "", also: settings{"bash.network": "ports"}, shows: `listened`, without: `could not`,
		see: func(b *bench) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			must(b.t, err)
			port := l.Addr().(*net.TCPAddr).Port
			must(b.t, l.Close())
			if !b.standard {
				b.settings["bash.listen_ports"] = fmt.Sprintf("[%d]", port)
			}
			return b.result(fmt.Sprintf("perl -MSocket -e 'socket(S,PF_INET,SOCK_STREAM,0); bind(S,sockaddr_in(%d,INADDR_LOOPBACK)) && listen(S,1) ? print qq(listened) : print qq(could not)'", port))
		},
	},
	"bash.local_ports": {
		set: "", shows: `reached it`, without: `refused it`,
		see: func(b *bench) string {
			port := b.listen()
			if !b.standard {
				b.settings["bash.local_ports"] = fmt.Sprintf("[%d]", port)
			}
			return b.connect(port)
		},
	},
	"bash.env": {
		set: "[SOME_FLAG]", shows: `value \[on\]`, without: `value \[\]`,
		see: func(b *bench) string { b.env = []string{"SOME_FLAG=on"}; return b.result(`echo "value [$SOME_FLAG]"`) },
	},
	"bash.read_paths": {
		set: "['{other}/tools']", shows: `reached it`, without: `refused it`,
		see: func(b *bench) string {
			b.file(b.other+"/tools/x", "x")
			return b.result("cat " + b.other + "/tools/x >/dev/null 2>&1 && echo reached it || echo refused it")
		},
	},
	"bash.processes": {
		set: "5", shows: `more processes than it may have`, without: `it ended`,
		see: func(b *bench) string {
			return b.result("for i in 1 2 3 4 5 6 7 8 9 10; do sleep 5 & done; sleep 1; kill $(jobs -p); echo it ended")
		},
	},
	"bash.memory_bytes": {
		set: "1GiB", shows: `memory 1048576\b`, without: `memory 8388608`,
		see: func(b *bench) string { return b.result(`echo "memory $(ulimit -d)"`) },
	},
	"bash.max_write_bytes": {
		set: "8MiB", shows: `had written more than 8 MiB \(bash.max_write_bytes\).*nothing of what it changed`, without: `it ended`,
		see: func(b *bench) string { return b.result("head -c 64M /dev/urandom >big; sleep 2; echo it ended") },
	},
	"bash.min_free_bytes": {
		set: "1024TiB", shows: `less than 1024 TiB were left on the disk \(bash.min_free_bytes\).*nothing of what it changed`, without: `it ended`,
		see: func(b *bench) string { return b.result("head -c 128M /dev/urandom >big; sleep 2; echo it ended") },
	},
}

// result is what a command's call tells the model.
func (b *bench) result(command string) string { b.t.Helper(); return resultOf(b.shell(command)) }

// approved is what a command's call tells the model when a person allows it, where
// one is asked.
func (b *bench) approved(command string) string {
	b.t.Helper()
	b.script(fmt.Sprintf("call: {name: bash, input: {command: %q}}", command))
	s := b.serve()
	id := s.session()
	r := s.begin(id, "event: ")
	seen := s.await(r, `"decisionId"`, `"durationMs"`)
	_, decision, asked := strings.Cut(seen, `"decisionId":"`)
	if !asked {
		return seen[strings.LastIndex(strings.TrimSuffix(seen, "\n"), "\n")+1:]
	}
	decision, _, _ = strings.Cut(decision, `"`)
	token, err := os.ReadFile(b.home + "/state/belay/operator.token")
	must(b.t, err)
	s.ask("POST", "/api/harness/decision", map[string]any{"sessionId": id, "decisionId": decision, "verdict": "allow"}, "Authorization", "Bearer "+strings.TrimSpace(string(token)))
	return s.await(r, `"durationMs"`)
}

// resultOf is the part of a turn's events that has the result of its first call.
func resultOf(events string) string {
	_, result, _ := strings.Cut(events, `"type":"tool:result"`)
	line, _, _ := strings.Cut(result, "\n")
	if line == "" {
		return events
	}
	return line
}

// listen opens a port of the machine.
func (b *bench) listen() int {
	b.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(b.t, err)
	b.t.Cleanup(func() { _ = l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

// connect has a command connect to a port.
func (b *bench) connect(port int) string {
	b.t.Helper()
	return b.approved(fmt.Sprintf("(exec 3<>/dev/tcp/127.0.0.1/%d) 2>/dev/null && echo reached it || echo refused it", port))
}
