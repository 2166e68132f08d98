package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"belay/internal/lazyregexp"
	"belay/internal/nearest"
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
	OutputBytes, ReadBytes, WriteBytes, KeepBytes int64
	Matches                                       int
	FetchHosts                                    []string
	FetchBytes                                    int64
	FetchTime                                     time.Duration
}

// Bash is about commands.
type Bash struct {
	Enabled              bool
	Timeout, TimeoutMost time.Duration
	OutputBytes          int64
	Confine              bool
	Network              string
	ConnectPorts         []string
	ListenPorts          []string
	LocalPorts           []string
	Env                  []string
	ReadPaths            []string
	Processes, Files     int
	MemoryBytes          int64
	FileBytes            int64
	MaxWriteBytes        int64
	MinFreeBytes         int64
}

func acting(c *Config) []*key {
	p, t, b := &c.Permit, &c.Tools, &c.Bash
	return []*key{
		{name: "permit.timeout", value: orNone(limit[time.Duration]{p: &p.Timeout, min: time.Second, max: 365 * day, form: durationForm}), def: "0",
			doc: "How long a tool call waits for a person's decision; then it is refused. 0 is no limit: it waits until somebody answers or the turn ends."},
		{name: "permit.unattended_timeout", value: orNone(limit[time.Duration]{p: &p.Unattended, min: time.Second, max: 365 * day, form: durationForm}), def: "30m",
			doc: "How long a tool call waits in a turn over HTTP that does not say opts.onQuestion, and in the tasks of a run that was started so. 0 is no limit."},
		{name: "permit.allow", value: list{&p.Allow, rule},
			doc: "Rules of calls that need no decision, such as bash(go test *) or fetch(example.com), for every persona. A rule of a tool that does not exist is an error."},
		{name: "permit.deny", value: denials{list{&p.Deny, rule}}, project: tighten,
			doc: "Rules of calls that are never made. A denial wins over everything; a project may add some. A rule of a tool that does not exist is an error."},
		{name: "permit.ask_before", value: denials{list{&p.AskBefore, rule}}, project: tighten,
			doc: "Rules of commands that are asked about before they run, such as bash(terraform apply *) or a job of hours. Of other commands people decide on what they changed."},
		{name: "permit.outside", value: list{&p.Outside, rule},
			doc: "Rules of commands that may run outside the sandbox, as you, without being asked about, such as bash(git push *). Without a rule each is asked about."},
		{name: "hooks", value: hooks{&c.Hooks},
			doc: "Commands that have a say in tool calls, by name: command (a list, no shell reads it), calls (rules; none is all), timeout. Each gets the call as JSON on its input and prints {\"verdict\": \"allow\", \"deny\", \"ask\" or \"\", \"note\"}; one that fails refuses."},
		{name: "fetch.allowed_hosts", value: list{&t.FetchHosts, host},
			doc: "The only hosts that fetch may reach, which may be in your own network. Blank is every public host."},
		{name: "tools.output_bytes", value: size(&t.OutputBytes, kib, 16*mib), def: "64KiB", project: tighten,
			doc: "Most that one tool call tells the model."},
		{name: "tools.read_bytes", value: size(&t.ReadBytes, kib, gib), def: "16MiB", project: tighten,
			doc: "Most that one call of read looks at."},
		{name: "tools.write_bytes", value: size(&t.WriteBytes, kib, gib), def: "8MiB", project: tighten,
			doc: "Largest file that a tool writes."},
		{name: "tools.keep_bytes", value: size(&t.KeepBytes, kib, gib), def: "16MiB",
			doc: "Largest file whose content is kept when a tool changes it, so that the change can be taken back."},
		{name: "tools.matches", value: count(&t.Matches, 1, 100_000), def: "500", project: tighten,
			doc: "Most results of one glob, grep or list."},
		{name: "tools.fetch_bytes", value: size(&t.FetchBytes, kib, gib), def: "8MiB", project: tighten,
			doc: "Largest download of fetch."},
		{name: "tools.fetch_timeout", value: duration(&t.FetchTime, time.Second, time.Hour), def: "30s", project: tighten,
			doc: "How long a download may take."},
		{name: "bash.enabled", value: boolean{&b.Enabled}, def: "true", project: tighten,
			doc: "Whether agents can run commands at all."},
		{name: "bash.timeout", value: duration(&b.Timeout, time.Second, day), def: "2m", project: tighten,
			doc: "How long a command may run that asks for no time of its own."},
		{name: "bash.timeout_max", value: duration(&b.TimeoutMost, time.Second, day), def: "10m", project: tighten,
			doc: "Longest time that a command can ask for."},
		{name: "bash.output_bytes", value: size(&b.OutputBytes, kib, 16*mib), def: "48KiB", project: tighten,
			doc: "How much of a command's output is kept, its beginning and its end."},
		{name: "bash.confine", value: boolean{&b.Confine}, def: "true",
			doc: "Whether the system holds commands to the project and the network rules. Without it every command is asked about, one by one."},
		{name: "bash.network", value: choice[string]{p: &b.Network, words: []string{"none", "ask", "ports", "open"}}, def: "ask",
			doc: "What commands reach: none, ask (a proxy to the hosts that a rule such as network(example.com) or a person allows), ports (those of bash.connect_ports; each command is asked about unless a rule covers it), or open, with which each is asked about whatever the rules say."},
		{name: "bash.connect_ports", value: numbers{list{&b.ConnectPorts, port}}, def: "443, 80",
			doc: "TCP ports that commands may connect to; never the server's own."},
		{name: "bash.listen_ports", value: numbers{list{&b.ListenPorts, port}},
			doc: "TCP ports that commands may listen on."},
		{name: "bash.local_ports", value: numbers{list{&b.LocalPorts, localPort}},
			doc: "TCP ports of this machine's 127.0.0.1, such as that of a database, that commands reach at their localhost with bash.network none and ask. What listens there sees a program of yours. Never the server's own."},
		{name: "bash.env", value: list{&b.Env, variable},
			doc: "Environment variables that commands get beside the few that every program needs. Never name a key."},
		{name: "bash.read_paths", value: list{&b.ReadPaths, folderPath},
			doc: "Folders outside the project that commands may read, such as toolchains in your home folder."},
		{name: "bash.processes", value: count(&b.Processes, 1, 100_000), def: "512",
			doc: "Processes that one command may have at once."},
		{name: "bash.files", value: count(&b.Files, 16, 1_000_000), def: "4096",
			doc: "Files that one process of a command may have open."},
		{name: "bash.memory_bytes", value: size(&b.MemoryBytes, 128*mib, tib), def: "8GiB",
			doc: "Memory that one process of a command may allocate, and where a control group can be made for it (belay doctor says so), that all of them together may use."},
		{name: "bash.file_bytes", value: size(&b.FileBytes, mib, tib), def: "4GiB",
			doc: "Largest file that a command may write."},
		{name: "bash.max_write_bytes", value: orNone(limit[int64]{p: &b.MaxWriteBytes, min: mib, max: 1024 * tib, form: sizeForm}), def: "4GiB",
			doc: "Room on the disk that one command may fill, in the project and its scratch folder. One that writes more is ended, and nothing of what it changed is applied. 0 is no limit."},
		{name: "bash.min_free_bytes", value: orNone(limit[int64]{p: &b.MinFreeBytes, min: mib, max: 1024 * tib, form: sizeForm}), def: "256MiB",
			doc: "Room that commands leave on the disk. Where there is less, a command that goes on writing is ended, and nothing of what it changed is applied. 0 looks at nothing."},
	}
}

// rule checks the shape of a rule; package permit reads it.
func rule(s string) (string, error) {
	if !ruleShape.MatchString(s) || len(s) > 1024 {
		return "", fmt.Errorf("%.60q is not a rule: write a tool, or a tool and what it is called with, as in bash(git status *)", s)
	}
	// A denial of a tool that there is not would deny nothing, and nobody would notice.
	name, _, _ := strings.Cut(strings.ToLower(s), "(")
	if begin, all := strings.CutSuffix(name, "*"); !strings.HasPrefix(name, "agent.") && !slices.ContainsFunc(ToolNames, func(tool string) bool {
		return tool == name || all && strings.HasPrefix(tool, begin)
	}) {
		if meant := nearest.Of(name, ToolNames); meant != "" {
			return "", fmt.Errorf("%.60q: there is no tool %s; did you mean %s?", s, name, meant)
		}
		return "", fmt.Errorf("%.60q: there is no tool %s; there are %s, and agent.NAME", s, name, strings.Join(ToolNames, ", "))
	}
	return s, nil
}

// ToolNames are the tools that rules may name, beside the agents. network and ports,
// what commands reach and which ports of theirs are opened, are no tools that a model
// calls.
var ToolNames = []string{
	"read", "write", "edit", "list", "glob", "grep", "fetch", "bash", "network", "ports",
	"project.list", "project.graph", "project.status", "project.propose", "project.scaffold", "project.snapshot",
}

var ruleShape = lazyregexp.New(`^[A-Za-z*][A-Za-z0-9_.*-]*(\(.*\))?$`)

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

// denials are a list that grows stricter by what is added.
type denials struct{ list }

// tighten adds what the other list has.
func (v denials) tighten(o value) bool {
	other := *o.(denials).p
	all := append(slices.Clone(*v.p), other...)
	slices.Sort(all)
	all = slices.Compact(all)
	changed := len(all) > len(*v.p)
	*v.p = all
	return changed
}

// numbers are a list whose items may be written without quotes.
type numbers struct{ list }

func (numbers) kind() kind { return sequence | scalarString | scalarInt }
func (numbers) schema() map[string]any {
	return map[string]any{"type": []string{"array", "string", "integer"}, "items": map[string]any{"type": []string{"string", "integer"}}}
}
