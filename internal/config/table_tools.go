package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Permit says who decides about tool calls, and how long they have.
type Permit struct {
	// Timeout bounds every question, Unattended those of turns that nobody attends;
	// 0 is no limit.
	Timeout, Unattended time.Duration
	// Allow, Deny, AskBefore and Outside are rules in the form of permit.ParseRule.
	Allow, Deny, AskBefore, Outside []string
}

// Tools bounds tool calls.
type Tools struct {
	OutputBytes, KeepBytes       int64
	SendFileBytes, SendCallBytes int64

	ReceiveFileBytes, ReceiveCallBytes int64
	ReceiveHosts, FetchHosts           []string
}

// Bash is about commands.
type Bash struct {
	Enabled              bool
	Timeout, TimeoutMost time.Duration
	Confine              bool
	Network              string
	ConnectPorts         []string
	ListenPorts          []string
	LocalPorts           []string
	Env                  []string
	ReadPaths            []string
	Processes            int
	MemoryBytes          int64
	MaxWriteBytes        int64
	MinFreeBytes         int64
}

func acting(c *Config) []*key {
	p, t, b := &c.Permit, &c.Tools, &c.Bash
	return []*key{
		{name: "permit.timeout", value: orNone(limit[time.Duration]{p: &p.Timeout, min: time.Second, max: 365 * day, form: durationForm}), def: "0",
			doc: "How long a tool call waits for a person's decision; then it is refused. 0 is no limit: it waits until somebody answers or the turn ends.",
			why: "A question must not wait for ever."},
		{name: "permit.unattended_timeout", value: orNone(limit[time.Duration]{p: &p.Unattended, min: time.Second, max: 365 * day, form: durationForm}), def: "30m",
			doc: "How long a tool call waits in a turn over HTTP that does not say opts.onQuestion, and in the tasks of a run that was started so. 0 is no limit.",
			why: "People answer later than within half an hour."},
		{name: "permit.allow", value: list{&p.Allow, rule},
			doc: "Rules of calls that need no decision, such as bash(go test *) or fetch(example.com), for every persona. A rule of a tool that does not exist is an error.",
			why: "You are asked the same question again and again."},
		{name: "permit.deny", value: denials{list{&p.Deny, rule}}, project: tighten,
			doc: "Rules of calls that are never made. A denial wins over everything; a project may add some. A rule of a tool that does not exist is an error.",
			why: "An agent must never do something."},
		{name: "permit.ask_before", value: denials{list{&p.AskBefore, rule}}, project: tighten,
			doc: "Rules of commands that are asked about before they run, such as bash(terraform apply *) or a job of hours. Of other commands people decide on what they changed.",
			why: "A command takes hours, or costs something, before it changes a file."},
		{name: "permit.outside", value: list{&p.Outside, rule},
			doc: "Rules of commands that may run outside the sandbox, as you, without being asked about, such as bash(git push *). Without a rule each is asked about. The modes plan and dontAsk refuse all of them, whatever a rule says.",
			why: "You are asked again and again before the same push."},
		{name: "hooks", value: hooks(&c.Hooks),
			doc: "Commands that have a say in tool calls, by name: command (a list, no shell reads it), calls (rules; none is all), timeout. Each gets the call as JSON on its input and prints {\"verdict\": \"allow\", \"deny\", \"ask\" or \"\", \"note\"}; one that fails refuses.",
			why: "A program of yours decides about calls, or records them."},
		{name: "mcp.servers", value: mcpServers(&c.MCP),
			doc: "MCP servers whose tools agents can call, by name: command (a list, no shell reads it) with env (names of variables that it gets), or url with token_env (the variable with its token); tools (patterns of names; none is all), timeout (of a call, 1m). A command runs as you, outside the sandbox. Each call is asked about unless a rule such as mcp.NAME.* allows it.",
			why: "Agents use tools of other programs."},
		{name: "fetch.allowed_hosts", value: list{&t.FetchHosts, host},
			doc: "The only hosts that fetch may reach, which may be in your own network. Blank is every public host.",
			why: "Agents may reach some hosts only, or one in your own network."},
		{name: "tools.output_bytes", value: size(&t.OutputBytes, kib, 16*mib), def: "64KiB", project: tighten,
			doc: "Most that one tool call tells the model.",
			why: "The model's context is small, or large."},
		{name: "tools.keep_bytes", value: size(&t.KeepBytes, kib, gib), def: "16MiB",
			doc: "Largest file whose content is kept when a tool changes it, so that the change can be taken back.",
			why: "Changes of larger files must be taken back."},
		{name: "tools.send_file_bytes", value: size(&t.SendFileBytes, kib, gib), def: "10MiB", project: tighten,
			doc: "Largest file that an agent sends to people with attachment.add.",
			why: "A surface takes larger files, or smaller ones only."},
		{name: "tools.send_call_bytes", value: size(&t.SendCallBytes, kib, gib), def: "25MiB", project: tighten,
			doc: "Most bytes of all files that one call of attachment.add sends.",
			why: "A surface takes larger messages, or smaller ones only."},
		{name: "tools.receive_file_bytes", value: size(&t.ReceiveFileBytes, kib, gib), def: "25MiB", project: tighten,
			doc: "Largest file of people that attachment.download saves.",
			why: "People send larger files, or the disk is small."},
		{name: "tools.receive_call_bytes", value: size(&t.ReceiveCallBytes, kib, tib), def: "50MiB", project: tighten,
			doc: "Most bytes of all files that one call of attachment.download saves.",
			why: "People send many files with one message, or the disk is small."},
		{name: "tools.receive_hosts", value: list{&t.ReceiveHosts, host}, def: "cdn.discordapp.com, media.discordapp.net",
			doc: "The only hosts from which attachment.download gets files that people sent. Only https is used, except for 127.0.0.1, [::1] and localhost.",
			why: "Another service of your own has Discord's API, or a proxy stands before its files."},
		{name: "bash.enabled", value: boolean{&b.Enabled}, def: "true", project: tighten,
			doc: "Whether agents can run commands at all.",
			why: "Agents must not run commands."},
		{name: "bash.timeout", value: duration(&b.Timeout, time.Second, day), def: "2m", project: tighten,
			doc: "How long a command may run that asks for no time of its own.",
			why: "Builds or tests take longer."},
		{name: "bash.timeout_max", value: duration(&b.TimeoutMost, time.Second, day), def: "10m", project: tighten,
			doc: "Longest time that a command can ask for.",
			why: "Builds or tests take longer than ten minutes."},
		{name: "bash.confine", value: boolean{&b.Confine}, def: "true",
			doc: "Whether the system holds commands to the project and the network rules. Without it every command is asked about, one by one.",
			why: "The system has no sandbox, or something outside holds commands."},
		{name: "bash.network", value: choice[string]{p: &b.Network, words: []string{"none", "ask", "ports", "open"}}, def: "ask",
			doc: "What commands reach: none, ask (a proxy to the hosts that a rule such as network(example.com) or a person allows), ports (those of bash.connect_ports; each command is asked about unless a rule covers it), or open, with which each is asked about whatever the rules say.",
			why: "Commands need no network, or another kind."},
		{name: "bash.connect_ports", value: numbers{list{&b.ConnectPorts, port}}, def: "443, 80",
			doc: "TCP ports that commands may connect to; never the server's own.",
			why: "A service listens on another port."},
		{name: "bash.listen_ports", value: numbers{list{&b.ListenPorts, port}},
			doc: "TCP ports that commands may listen on.",
			why: "Tests start a server."},
		{name: "bash.local_ports", value: numbers{list{&b.LocalPorts, localPort}},
			doc: "TCP ports of this machine's 127.0.0.1, such as that of a database, that commands reach at their localhost with bash.network none and ask. What listens there sees a program of yours. Never the server's own.",
			why: "Tests use a database of this machine."},
		{name: "bash.env", value: list{&b.Env, variable},
			doc: "Environment variables that commands get beside the few that every program needs. Never name a key.",
			why: "A tool needs a variable, such as GOFLAGS."},
		{name: "bash.read_paths", value: list{&b.ReadPaths, folderPath},
			doc: "Folders outside the project that commands may read, such as toolchains in your home folder.",
			why: "A toolchain lies in your home folder."},
		{name: "bash.processes", value: count(&b.Processes, 1, 100_000), def: "512",
			doc: "Processes that one command may have at once.",
			why: "The machine has many processors, or few."},
		{name: "bash.memory_bytes", value: size(&b.MemoryBytes, 128*mib, tib), def: "8GiB",
			doc: "Memory that one process of a command may allocate, and where a control group can be made for it (belay doctor says so), that all of them together may use.",
			why: "Builds need more memory, or the machine has less."},
		{name: "bash.max_write_bytes", value: orNone(limit[int64]{p: &b.MaxWriteBytes, min: mib, max: 1024 * tib, form: sizeForm}), def: "4GiB",
			doc: "Room on the disk that one command may fill, in the project and its scratch folder. One that writes more is ended, and nothing of what it changed is applied. 0 is no limit.",
			why: "Builds write more, or the disk is small."},
		{name: "bash.min_free_bytes", value: orNone(limit[int64]{p: &b.MinFreeBytes, min: mib, max: 1024 * tib, form: sizeForm}), def: "256MiB",
			doc: "Room that commands leave on the disk. Where there is less, a command that goes on writing is ended, and nothing of what it changed is applied. 0 looks at nothing.",
			why: "Other programs need more room on the disk."},
	}
}

func port(s string) (string, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return "", fmt.Errorf("%q is not a port from 1 to 65535", s)
	}
	return strconv.FormatUint(n, 10), nil
}

// localPort checks a port of the machine that commands find at their localhost, where
// belay's proxy has one already.
func localPort(s string) (string, error) {
	if s, err := port(s); err != nil || s != "3128" {
		return s, err
	}
	return "", errors.New("3128 is the port on which commands find belay's proxy; let the service listen on another one")
}

func variable(s string) (string, error) {
	ok := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if !ok {
		return "", fmt.Errorf("%q is not the name of a variable", s)
	}
	return s, nil
}

// numbers are a list whose items may be written without quotes.
type numbers struct{ list }

func (numbers) kind() kind { return sequence | scalarString | scalarInt }
func (numbers) schema() map[string]any {
	return map[string]any{"type": []string{"array", "string", "integer"}, "items": map[string]any{"type": []string{"string", "integer"}}}
}
