package confine

import (
	"context"
	"fmt"
	"strings"
)

// Report is what this machine holds of a command, found out by trying.
type Report struct {
	// System is the operating system.
	System string `json:"system"`
	// Landlock is the version of the kernel's interface that is used, 0 for none.
	Landlock int `json:"landlock"`
	// Namespaces is set where a command gets a file tree and a process table of
	// its own, Filter where its system calls are filtered.
	Namespaces bool `json:"namespaces"`
	Filter     bool `json:"filter"`
	// Overlay is set where a command can have an overlay on the project, so that
	// what it changes is reviewed before it is real.
	Overlay bool `json:"overlay"`
	// ReadOnly is set where a command can be kept from changing the project.
	ReadOnly bool `json:"readOnly"`
	// Memory is set where a control group limits the memory of all processes of a
	// command together.
	Memory bool `json:"memory"`
	// PlainShell is set where there is no bash: sh runs the commands.
	PlainShell bool `json:"plainShell,omitempty"`
	// Network is what was asked for. OwnNetwork is set where a command has one of its
	// own, with only a loopback interface.
	Network    Network `json:"network"`
	OwnNetwork bool    `json:"ownNetwork"`
	// Held and Open are sentences for people: what a command cannot do here, and
	// what it can although it should not.
	Held []string `json:"held"`
	Open []string `json:"open,omitempty"`
	// Unconfined is set where the most important of all does not hold: files
	// outside the project, the state folder and the server stay out of reach.
	// Every command is then asked about, one by one.
	Unconfined bool `json:"unconfined"`
	// Reasons are why a way of confinement is not used.
	Reasons []string `json:"reasons,omitempty"`
}

// Report reports what the machine holds. The first call tries it out and takes
// some ten milliseconds; the answer does not change afterwards.
func (r *Runner) Report(ctx context.Context) (Report, error) {
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	return r.found(), nil
}

// Summary is one line for a person.
func (r Report) Summary() string {
	var by []string
	if r.Landlock > 0 {
		by = append(by, fmt.Sprintf("Landlock %d", r.Landlock))
	}
	if r.Namespaces {
		by = append(by, "namespaces")
	}
	if r.Overlay {
		by = append(by, "an overlay")
	}
	if r.Filter {
		by = append(by, "a system call filter")
	}
	if len(by) > 0 && r.Memory {
		by = append(by, "a control group")
	}
	if len(by) == 0 {
		return "commands are not confined"
	}
	how := "commands are confined by "
	if r.Unconfined {
		how = "commands are confined in part, by "
	}
	return how + strings.Join(by, ", ")
}

// judge fills in what the means that were found hold, and what they do not.
func (r *Report) judge() {
	hold := func(holds bool, held, open string) {
		switch {
		case holds && held != "":
			r.Held = append(r.Held, held)
		case !holds && open != "":
			r.Open = append(r.Open, open)
		}
	}
	files := r.Landlock > 0 || r.Namespaces
	hold(files, "files outside the project and the session's scratch folder cannot be read or changed, except that those of the system can be read",
		"files outside the project can be read and changed")
	hold(r.Namespaces, "", "whether a file outside exists, its size and its times can be found out")
	hold(r.Namespaces, "the project's .belay folder is out of reach", "the project's .belay folder can be reached; changed records are noticed by their hashes")
	hold(r.Landlock >= landlockTruncate || r.Namespaces, "", "files outside the project can be cut to nothing where their permissions let the user")
	hold(r.Namespaces, "permissions and times of files outside the project cannot be changed", "permissions and times of the user's files outside the project can be changed")
	hold(r.Namespaces, "other processes can be neither seen nor signalled", "the names and arguments of other processes can be seen")
	if !r.Namespaces {
		hold(r.Landlock >= landlockScopes, "other processes cannot be signalled", "other processes of the user can be signalled")
	}
	hold(r.Filter || r.Landlock > 0 || r.Namespaces, "other processes cannot be traced", "other processes of the user can be traced, except the server")
	tcp := r.holdsNetwork()
	r.OwnNetwork = r.Namespaces && (r.Network == NetworkNone || r.Network == NetworkAsk)
	switch r.Network {
	case NetworkNone:
		hold(tcp, "there is no network", "the network cannot be taken away")
	case NetworkAsk:
		held := "there is no network but a proxy, which reaches the hosts that a rule or a person allows, and looks up their names itself"
		if !r.Namespaces {
			held = "there is no network, and nobody can be asked for one: that needs namespaces"
		}
		hold(tcp, held, "the network cannot be taken away")
	case NetworkPorts:
		hold(tcp, "TCP connections go to the configured ports only, never to the server", "TCP connections go anywhere, also to the server")
		hold(false, "", "UDP, and with it DNS, is not limited")
	default:
		hold(false, "", "the network is not limited, as configured")
	}
	hold(r.Namespaces || r.Filter || r.Landlock >= landlockUnix, "sockets of the user's session and of Docker cannot be reached", "Unix sockets by path can be reached: the user's session bus, Docker")
	if r.Namespaces && !r.OwnNetwork { // such sockets belong to the network's namespace
		hold(r.Landlock >= landlockScopes, "", "Unix sockets without a path can be reached: that of X11")
	}
	hold(r.Memory, "memory is limited for the command as a whole, too", "memory is limited for each process, not for the command")
	// Without namespaces the filter holds what Landlock does not look at.
	r.ReadOnly = r.Namespaces || r.Landlock >= landlockTruncate && r.Filter
	hold(!r.PlainShell, "", "there is no bash, so sh runs commands; a command that the two read in different ways is covered by no rule")
	if !r.Overlay {
		hold(r.ReadOnly, "the project is read-only for a command that does not say that it changes it", "commands change the project at once, and nothing of that is put back")
	}
	r.Unconfined = !files || !tcp || !r.ReadOnly || (!r.Namespaces && !r.Filter && r.Landlock < landlockUnix)
}

// holdsNetwork reports whether TCP is limited as the network asks for.
func (r *Report) holdsNetwork() bool {
	switch r.Network {
	case NetworkNone, NetworkAsk:
		return r.Namespaces || r.Filter
	case NetworkPorts:
		return r.Landlock >= landlockTCP
	}
	return false
}

// Versions of the Landlock interface, by what came with them.
const (
	landlockRefer    = 2
	landlockTruncate = 3
	landlockTCP      = 4
	landlockIoctl    = 5
	landlockScopes   = 6
	landlockUnix     = 9
)
