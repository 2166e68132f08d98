// Package shell is the bash tool: a command runs in the project, confined
// (package confine), for a limited time and with a limited voice. Where the machine
// can, it works on an overlay (package overlay), and what it changed there is reviewed
// before it is real. Elsewhere the project is read-only, unless the command says that
// it writes.
//
// On Linux the program is its own sandbox, started again, and then something else
// from before its main on (package supervisor). A process that holds keys calls
// [Harden].
//
// What the machine can hold of a command differs. [Shell.Report] says what this
// one does, for people and for the effect of each call: where the most important
// of it is missing, every command is asked about.
//
// Contract: turn API REQ-04; architecture, "Security posture"; workspace 9.5.
package shell

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"

	"belay/internal/netguard"
	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/egress"
	"belay/internal/tool/shell/kept"
	"belay/internal/tool/shell/overlay"
	"belay/internal/tool/shell/quota"
)

// Name is the tool's canonical name.
const Name = "bash"

// Options configure the tool.
type Options struct {
	// Off runs commands without confinement. ReadPaths are toolchains that they
	// may read, Hidden what they may never reach beside StateDir.
	Off               bool
	ReadPaths, Hidden []string
	// Network is confine.NetworkPorts when empty, ConnectPorts then 80 and 443
	// when nil. ServerPorts tells those of the server, which no command gets.
	Network                   confine.Network
	ConnectPorts, ListenPorts []uint16
	ServerPorts               func() []uint16
	// LocalPorts are TCP ports of this machine's loopback that commands with a network of
	// their own reach at their localhost; never those of the server.
	LocalPorts []uint16
	// Dialer connects to the hosts that confine.NetworkAsk reaches; nil reaches public
	// addresses only ([netguard.Dialer]).
	Dialer egress.Dialer
	Limits confine.Limits
	// Disk bounds what a command takes of the disk; its zero value does not.
	Disk quota.Limits
	// Environ is the server's environment, EnvNames the variables of it that
	// commands get beside those that every program needs.
	Environ, EnvNames []string
	// Person is the environment of a command that runs outside the sandbox, as the
	// person: theirs, without the keys of providers.
	Person []string
	// StateDir is the operator's state folder.
	StateDir string
	// Without are means of confinement that are left alone, for tests.
	Without confine.Means
}

// Report is what this machine holds of a command.
type Report = confine.Report

// Harden keeps other processes of the user, such as commands, from looking into
// this one: its environment, its memory, its files in use.
func Harden() error { return confine.Harden() }

// Shell is the bash tool. One is made for a process; it is safe for concurrent
// use.
type Shell struct {
	runner *confine.Runner
	// person runs commands outside the sandbox.
	person *confine.Runner
	disk   quota.Limits
	dialer egress.Dialer
	// localPorts are those of the machine that commands reach, serverPorts those of
	// belay's servers, nil for none.
	localPorts  []uint16
	serverPorts func() []uint16
	// state is the operator's state folder.
	state string
	// mostChanges is how many changes of a command are listed, overlay.MaxChanges for 0.
	mostChanges int
	// overlays says which projects, by path, an overlay can be laid on.
	overlays sync.Map
}

var _ tool.Tool = (*Shell)(nil)

// New returns the tool. It does nothing yet: the machine is tried out at the
// first report or call.
func New(o Options) *Shell {
	hidden := o.Hidden
	if o.StateDir != "" {
		hidden = append(slices.Clone(hidden), o.StateDir)
	}
	if o.Dialer == nil {
		o.Dialer = netguard.Dialer{}
	}
	return &Shell{
		person: confine.New(confine.Options{Off: true, Home: true, Network: confine.NetworkOpen, Limits: o.Limits, Env: o.Person}),
		disk:   o.Disk, dialer: o.Dialer, state: o.StateDir,
		localPorts: o.LocalPorts, serverPorts: o.ServerPorts,
		runner: confine.New(confine.Options{
			Off: o.Off, ReadPaths: o.ReadPaths, Hidden: hidden,
			Network: o.Network, ConnectPorts: o.ConnectPorts, ListenPorts: o.ListenPorts, ServerPorts: o.ServerPorts,
			Limits: o.Limits, Without: o.Without,
			Env: confine.Environment(o.Environ, o.EnvNames),
		}),
	}
}

// Report reports what the machine holds. The first call tries it out and takes
// some ten milliseconds.
func (s *Shell) Report(ctx context.Context) (Report, error) { return s.runner.Report(ctx) }

// isServer reports whether a port is that of a server of belay's.
func (s *Shell) isServer(port uint16) bool {
	return s.serverPorts != nil && slices.Contains(s.serverPorts(), port)
}

// Sweep removes what is kept for sessions that are not known.
func (s *Shell) Sweep(known func(sessionID string) bool) error { return s.sweepWatched(known) }

// SweepProject removes what commands changed in a project whose processes died before
// it was reviewed, or put aside for a person. A project that is gone has none of it.
func SweepProject(project string) (err error) {
	root, err := os.OpenRoot(project)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return errors.Join(overlay.Sweep(root), kept.Sweep(root))
}

// Spec implements tool.Tool.
func (s *Shell) Spec() tool.Spec {
	return tool.Spec{
		Name: Name,
		Description: `Run a command with bash in the project folder and return what it writes to stdout and stderr, in order, and its exit code.
Each call is a new shell: a working folder, variables and processes do not outlive it. There is no terminal and no input.
With background it goes on as a job while you do other things, such as a server or a watcher: the result has its id, and {"job": "job_1"} reads its new output, {"job": "job_1", "action": "stop"} stops it. Later commands of the turn reach its ports at localhost. With ports the person can open them, too, and is asked first. A job does not see later edits: start it again after them. It ends with your turn.
The command may read the project and the system's programs, and write to the project (within your write scope) and to $HOME and $TMPDIR, which are yours for this session. It reaches other machines through the HTTP proxy in HTTPS_PROXY only; a person may be asked about each host, and the result says which were not reached.
What it changes in the project becomes real when it has ended; changes of protected files do not, and are reported.
It has none of the person's credentials. With outside and a reason it runs as the person instead, with their files, network and credentials, on the project itself: for what needs these, such as git push or a deployment. A person is asked before such a command runs.
Use read, list, glob and grep to look at files, and edit and write to change them: they are faster and safer than cat, find and sed.`,
		Schema: schema,
	}
}

var schema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "command": {"type": "string", "maxLength": 100000, "description": "What bash runs, as after bash -c. Every call has it but those with job."},
    "dir": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "The working folder: relative to the project, or absolute in it or in $HOME or $TMPDIR. The project folder if absent."},
    "timeout_ms": {"type": "integer", "minimum": 1, "description": "How long it may run. The server sets a default and a most."},
    "outside": {"type": "boolean", "description": "Run it as the person, outside the sandbox. A person is always asked first."},
    "reason": {"type": "string", "minLength": 1, "maxLength": 500, "description": "With outside: why it needs the person's files, network or credentials, in a sentence for them."},
    "write": {"type": "boolean", "description": "Whether it is to change files of the project. It counts only on machines that cannot review what a command changed: there the project is read-only without it, and a person is asked before the command runs. Elsewhere it is ignored."},
    "background": {"type": "boolean", "description": "Run it as a background job of this turn, and return at once."},
    "ports": {"type": "array", "maxItems": 8, "items": {"type": "integer", "minimum": 1024, "maximum": 65535}, "description": "With background: TCP ports on which it listens that the person is to open, in a browser for example. Other commands reach its ports without this."},
    "job": {"type": "string", "minLength": 1, "maxLength": 40, "description": "The id of a background job, in place of a command: read its output or stop it."},
    "action": {"type": "string", "enum": ["output", "stop"], "description": "With job: output (if absent) returns what it has written since the last time, and waits up to timeout_ms for something new; stop ends it and returns the rest."},
    "description": {"type": "string", "maxLength": 500, "description": "What it is for, in one line, for the person who decides."}
  },
  "additionalProperties": false
}`)
