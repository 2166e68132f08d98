package supervisor

import "syscall"

// Arg is the only argument of a supervisor.
const Arg = "__confine"

// The supervisor's files beside the standard ones. The plan comes in through the
// first, which stays open for as long as belay lives and wants the command; the
// answers go out through the second. The third is held open until nothing of the
// command runs any more. The standard output is the command's.
const (
	ControlFile = 3
	AnswerFile  = 4
	// GuardFile is there where the plan says so.
	GuardFile = 5
	// NetworkFile is a socket that is there where the plan has ports, or is Inside. The
	// supervisor sends a listening socket for each port through it, and then answers
	// requests ([Request]), or closes it.
	NetworkFile = 6
)

// Plan describes the whole sandbox to a supervisor, settled before the command
// starts. It decides nothing itself.
type Plan struct {
	Shell, Command, Dir string
	Env                 []string

	// User is who starts the command, where the supervisor is in a user namespace.
	User *User
	// Tree is the command's own file tree and process table, where the supervisor is
	// in namespaces; Loopback switches on its own network's only interface.
	Tree     *Tree
	Loopback bool
	// Ports are those of that interface on which belay listens. Inside is set where
	// belay asks for files of the command's network while the command runs.
	Ports  []uint64
	Inside bool

	// Limits are set as the command's. Processes is how many it may have, which
	// the supervisor counts.
	Limits    []Limit
	Processes uint64
	// Guarded is set where there is a file to hold open and to write to.
	Guarded bool
	// Landlock is nil where the kernel has none; Filter is the system call
	// filter, empty for none.
	Landlock *Ruleset
	Filter   []syscall.SockFilter
}

// User is a user of the machine, by numbers.
type User struct{ UID, GID uint64 }

// Tree is what a file tree is made of. All paths are absolute, clean, and without
// links.
type Tree struct {
	// Read and Write appear at the paths that they have; none of Read is in
	// another. Devices, too, which are devices.
	Read, Write, Devices []string
	// Overlay is a folder that can be changed only in appearance, nil for none.
	Overlay *Overlay
	// Links are the links of the root folder.
	Links []Link
	// Temp appears as /tmp.
	Temp string
	// Masked are covered by something empty. One that is not there is left out.
	Masked []string
}

// Overlay is an overlay on a folder: whatever is changed in it goes into Upper.
// Upper and Work are folders of the same file system, Work an empty one. They are
// relative to Folder, or absolute.
type Overlay struct{ Folder, Upper, Work string }

// Link is a symbolic link.
type Link struct{ Path, Target string }

// Limit is a resource limit of the kernel's.
type Limit struct{ Resource, Most uint64 }

// Ruleset is one of Landlock, in the kernel's numbers.
type Ruleset struct {
	// Files, Ports and Scopes are the rights that are limited; Size is how much of
	// them the kernel knows, in bytes.
	Files, Ports, Scopes, Size uint64
	// PathRules give rights to what is there of them; FileRights are those that
	// what is not a folder may have.
	PathRules  []PathRule
	FileRights uint64
	PortRules  []PortRule
}

// PathRule gives rights beneath a path.
type PathRule struct {
	Path   string
	Rights uint64
}

// PortRule gives rights to a TCP port.
type PortRule struct{ Port, Rights uint64 }

// Answer is what a supervisor says: once when the command runs, once when it is over.
// A supervisor whose command was not started says only the second.
type Answer struct {
	// Group is the command's process group, 0 where the end of the supervisor is the
	// end of all its processes.
	Group uint64
	// ExitCode is the command's exit code, or 128 and Signal, which ended it.
	ExitCode, Signal uint64
	// Left is how many of its processes still ran when it was over. Crowded is
	// set where it was ended because it had too many.
	Left    uint64
	Crowded bool
	// Step and Problem tell why the command was not started.
	Step, Problem string
}

func (p *Plan) pass(w *wire) {
	w.text(&p.Shell)
	w.text(&p.Command)
	w.text(&p.Dir)
	list(w, &p.Env, (*wire).text)
	optional(w, &p.User, func(w *wire, u *User) {
		w.number(&u.UID)
		w.number(&u.GID)
	})
	optional(w, &p.Tree, (*wire).tree)
	w.truth(&p.Loopback)
	list(w, &p.Ports, (*wire).number)
	w.truth(&p.Inside)
	list(w, &p.Limits, func(w *wire, l *Limit) {
		w.number(&l.Resource)
		w.number(&l.Most)
	})
	w.number(&p.Processes)
	w.truth(&p.Guarded)
	optional(w, &p.Landlock, (*wire).ruleset)
	list(w, &p.Filter, (*wire).instruction)
}

func (w *wire) tree(t *Tree) {
	for _, paths := range []*[]string{&t.Read, &t.Write, &t.Devices, &t.Masked} {
		list(w, paths, (*wire).text)
	}
	list(w, &t.Links, func(w *wire, l *Link) {
		w.text(&l.Path)
		w.text(&l.Target)
	})
	w.text(&t.Temp)
	optional(w, &t.Overlay, func(w *wire, o *Overlay) {
		w.text(&o.Folder)
		w.text(&o.Upper)
		w.text(&o.Work)
	})
}

func (w *wire) ruleset(r *Ruleset) {
	for _, n := range []*uint64{&r.Files, &r.Ports, &r.Scopes, &r.Size, &r.FileRights} {
		w.number(n)
	}
	list(w, &r.PathRules, func(w *wire, rule *PathRule) {
		w.text(&rule.Path)
		w.number(&rule.Rights)
	})
	list(w, &r.PortRules, func(w *wire, rule *PortRule) {
		w.number(&rule.Port)
		w.number(&rule.Rights)
	})
}

// instruction is one of the filter's, as the number that it is to the kernel.
func (w *wire) instruction(i *syscall.SockFilter) {
	n := uint64(i.Code)<<48 | uint64(i.Jt)<<40 | uint64(i.Jf)<<32 | uint64(i.K)
	w.number(&n)
	*i = syscall.SockFilter{Code: uint16(n >> 48), Jt: uint8(n >> 40), Jf: uint8(n >> 32), K: uint32(n)}
}

func (a *Answer) pass(w *wire) {
	for _, n := range []*uint64{&a.Group, &a.ExitCode, &a.Signal, &a.Left} {
		w.number(n)
	}
	w.truth(&a.Crowded)
	w.text(&a.Step)
	w.text(&a.Problem)
}
