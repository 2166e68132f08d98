// Package confine runs a shell command so that it can do what it was let to and
// nothing else, and so that nothing of it is left when it is over.
//
// On Linux the command is started by a supervisor (package supervisor): this program once
// more, in a process of its own. The supervisor builds the sandbox and then watches over
// the command for as long as it runs:
//
//   - namespaces, where the machine has them: a file tree of its own that holds
//     only what is granted, a process table of its own, and, without a network,
//     only a loopback interface;
//   - Landlock: files and TCP ports by allow-list, signals and abstract sockets
//     within the command only;
//   - a system call filter: no tracing, no mounts, no user namespaces, no kernel
//     keyrings; no sockets by path where no file tree of its own hides them;
//   - no capabilities, no new privileges, limits on processes, files and memory, and
//     where this user may make one, a control group that limits the memory of all
//     processes of the command together.
//
// Each of these holds without the others, and a machine may have any of them.
// [Runner.Report] reports what it really has, found out by trying and not by
// version. What was found is applied in full or the command does not run:
// nothing is weakened silently.
//
// A command ends with its whole tree: daemons, too, because they are either in
// the command's process table, which ends with the supervisor, or become the
// supervisor's children. When belay dies, the supervisor's end of a pipe closes and it
// ends the tree.
//
// On other systems there is no sandbox. The command gets the same environment,
// deadline and end of its process group, and the report says that this is all.
//
// Contract: architecture, "Security posture"; turn API REQ-04.
package confine

import (
	"cmp"
	"io"
	"net"
	"os"
	"slices"
	"time"
)

// Network says which part of the network commands may reach.
type Network string

// The networks.
const (
	// NetworkNone is no network but, where the machine has namespaces, a loopback
	// interface of the command's own.
	NetworkNone Network = "none"
	// NetworkAsk is NetworkNone with a proxy on that loopback interface. What it
	// reaches is for [Command.Proxy] to decide.
	NetworkAsk Network = "ask"
	// NetworkPorts lets commands connect to some TCP ports. Which do, nobody knows
	// beforehand, so that each is asked about.
	NetworkPorts Network = "ports"
	// NetworkOpen does not limit the network. Commands reach the server, too, so
	// that each of them is asked about.
	NetworkOpen Network = "open"
)

// Means are the ways of confinement that a machine may have.
type Means struct {
	// Landlock, Namespaces and Filter are the three that the package comment
	// reports.
	Landlock, Namespaces, Filter bool
	// Overlay is an overlay on the project, which needs namespaces.
	Overlay bool
	// Cgroup is a control group for each command, which limits the memory of all its
	// processes together.
	Cgroup bool
}

// Options say what commands may do. The zero value is the narrowest useful one.
type Options struct {
	// Off switches confinement off. Commands are still ended whole.
	Off bool
	// Home leaves HOME and TMPDIR as Env has them: they are the person's, not the
	// session's.
	Home bool
	// ReadPaths are files and folders that commands may read and run, beside
	// those of the system: toolchains in the user's home.
	ReadPaths []string
	// Hidden are files and folders that no command may reach, even where they are
	// in a folder that is granted: the state folder, the configuration.
	Hidden []string
	// Network is NetworkPorts when empty; ConnectPorts are those of NetworkPorts,
	// 80 and 443 when nil; ListenPorts may be listened on, none when nil.
	Network                   Network
	ConnectPorts, ListenPorts []uint16
	// ServerPorts reports which ports commands may not connect to although
	// ConnectPorts has them: those of the server itself. It is asked before each
	// command; nil has none.
	ServerPorts func() []uint16
	Limits      Limits
	// Without are means that are not used although they are there. Tests use it
	// to show what each of them holds alone.
	Without Means
	// Env is what commands get of the environment ([Environment]).
	Env []string
}

// Limits bound what a command may use. A zero field has the default.
type Limits struct {
	// Processes is how many processes it may have at once, 512.
	Processes int
	// Files is how many files one of them may have open, 4096.
	Files int
	// FileBytes is how large a file it may write, 4 GiB.
	FileBytes int64
	// MemoryBytes is how much memory one process may allocate, 8 GiB, and where there
	// are control groups, how much all of them together may use.
	MemoryBytes int64
}

// The defaults of [Limits].
const (
	defaultProcesses   = 512
	defaultFiles       = 4096
	defaultFileBytes   = 4 << 30
	defaultMemoryBytes = 8 << 30
)

func (o Options) withDefaults() Options {
	o.Network = cmp.Or(o.Network, NetworkPorts)
	if o.Network == NetworkPorts && o.ConnectPorts == nil {
		o.ConnectPorts = []uint16{80, 443}
	}
	o.ReadPaths = slices.Clone(o.ReadPaths)
	o.Hidden = slices.Clone(o.Hidden)
	l := &o.Limits
	l.Processes = cmp.Or(l.Processes, defaultProcesses)
	l.Files = cmp.Or(l.Files, defaultFiles)
	l.FileBytes = cmp.Or(l.FileBytes, defaultFileBytes)
	l.MemoryBytes = cmp.Or(l.MemoryBytes, defaultMemoryBytes)
	return o
}

// Command is one command.
type Command struct {
	// Text is what the shell runs.
	Text string
	// Dir is its absolute working folder, in Project or Scratch.
	Dir string
	// Project and Scratch are the folders that it may change, absolute, unless the
	// project is ReadOnly. Scratch
	// gets the folders home and tmp, its HOME and TMPDIR.
	Project, Scratch string
	// Upper and Work are where an overlay on the project keeps what the command
	// changes, "" where it changes the project itself. Both are empty folders of one
	// file system, relative to Project or absolute; nothing else may be in them.
	Upper, Work string
	// ReadOnly keeps the command from changing Project, where [Report.ReadOnly] says
	// that the machine can.
	ReadOnly bool
	// Masked are folders of the project that the command finds empty, where the
	// machine has namespaces.
	Masked []string
	// Time is how long it may run, 0 for no limit of its own. OutputBytes is how much
	// of what it says is kept; Said gets all of it as it comes, and the command waits while
	// it is written.
	Time        time.Duration
	OutputBytes int64
	Said        io.Writer
	// Guard is a file that the command's supervisor holds open, and writes a byte to
	// now and then, until nothing of the command runs any more: a lock on it lasts
	// as long, also when belay dies. Nil is none; only Linux has supervisors.
	Guard *os.File
	// Proxy serves a listener on [ProxyPort] of the loopback interface of the command's
	// own network, which the command finds in its environment as its HTTP proxy ([NetworkAsk]). It
	// returns when the listener is closed: the command has ended then. Nil serves none.
	// Ports are served likewise. Without a network of its own, the command finds none
	// of them ([Report.OwnNetwork]).
	Proxy func(net.Listener)
	Ports []Port
	// Inside gives a way into the command's own network, nil for none.
	Inside *Inside
}

// Outcome is how a command ended.
type Outcome struct {
	// Output is what it wrote to stdout and stderr, in order.
	Output Output
	// ExitCode is its exit code; Signal names the signal that ended it instead.
	ExitCode int
	Signal   string
	// TimedOut is set where its time ran out, Crowded where it had more processes
	// than it may have: in both cases it was ended.
	TimedOut, Crowded bool
	// Starved is set where the system ended some of its processes because together
	// they used more memory than they may.
	Starved bool
	// Left is how many of its processes still ran when it was over. They were
	// ended.
	Left int
	Took time.Duration
}

// SetupError is why a command was not started: the sandbox could not be built as
// the report says, or what was asked for is outside it.
type SetupError struct {
	// Step says what was being done, Err what came of it.
	Step string
	Err  error
}

// Error implements error.
func (e *SetupError) Error() string { return e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *SetupError) Unwrap() error { return e.Err }

// OfFileTree reports whether the command's own file tree could not be made, with its overlay.
// The next try would end the same. Others can end better, such as where a process had too many
// files open.
func (e *SetupError) OfFileTree() bool { return e.Step == fileTreeStep }
