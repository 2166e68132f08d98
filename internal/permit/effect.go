package permit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Effect says what a call would do. A tool makes it from input that it has
// checked; nothing has been done yet. People decide on what it says, so it
// leaves nothing out.
type Effect struct {
	// Tool is the canonical name.
	Tool string `json:"tool"`
	Kind Kind   `json:"kind"`
	// Summary is one line for a person, at most 200 bytes, without secrets.
	Summary string `json:"summary"`
	// Command is the text of a command, the input of an external call, and an address that the
	// summary has no room for; Commands are the simple commands in it.
	Command  string    `json:"command,omitempty"`
	Commands []Command `json:"commands,omitempty"`
	// Opaque is set where the command could not be taken apart in full: a
	// substitution in a command's place, eval, a script from a variable.
	Opaque bool `json:"opaque,omitempty"`
	// Dir is the working folder of a command, relative to the project.
	Dir string `json:"dir,omitempty"`
	// Project is the absolute path of the project, with slashes, of a command.
	Project string `json:"-"`
	// Folder is set where Paths is a folder whose files are shown. A rule of read covers it only
	// with all that is in it.
	Folder bool `json:"-"`
	// Paths are the files that are read or changed, relative to the project,
	// with slashes; of a command those that its redirections write.
	Paths []string `json:"paths,omitempty"`
	// Hosts are the machines that are reached; Network is set where nothing of belay's
	// stands between a command and other machines.
	Hosts   []string `json:"hosts,omitempty"`
	Network bool     `json:"network,omitempty"`
	// Diff shows what would change, as a unified diff, at most 64 KiB.
	Diff string `json:"diff,omitempty"`
	// Deferred is set of a command that changes nothing of the project before that was
	// allowed: what it changes counts when it has ended and was reviewed, or the project
	// is read-only for it.
	Deferred bool `json:"deferred,omitempty"`
	// Outside is set of a command that runs as the person, outside the sandbox, with
	// their files, network and credentials. Why is the agent's reason.
	Outside bool   `json:"outside,omitempty"`
	Why     string `json:"why,omitempty"`
	// Background is set of a command that goes on as a job of its turn. Ports are those
	// of its sandbox that this machine's loopback is to lead to. Job names a job whose
	// output is read, or which is stopped: such a call runs no command.
	Background bool     `json:"background,omitempty"`
	Ports      []uint16 `json:"ports,omitempty"`
	Job        string   `json:"job,omitempty"`
	// Writes is set of a command that may change the project while it runs, without a
	// review.
	Writes bool `json:"write,omitempty"`
	// Doubt is why a command that changes the project is asked about even where a rule
	// allows it: an earlier one changed what it may not, or nobody could tell.
	Doubt string `json:"doubt,omitempty"`
	// Done is set of a deferred command that has ended: Paths and Diff are what it has
	// really changed, and what is decided is whether that counts.
	Done *Done `json:"done,omitempty"`
	// Automatic are those of Paths that other programs run by themselves, such as
	// git, an editor or a shell, each with the reason: they are asked about in every
	// mode.
	Automatic []string `json:"automatic,omitempty"`
	// OnRequest are those of Paths that run when a person builds, tests or starts the
	// project, each with the reason. They are shown, and ordinary otherwise.
	OnRequest []string `json:"onRequest,omitempty"`
	// Repositories say what a command did to repositories of git, whose files are no
	// others: Paths has the repository's folder alone.
	Repositories []Repository `json:"repositories,omitempty"`
	// Runs are files that the session changed and that a command outside the sandbox may
	// execute, each with the reason.
	Runs []string `json:"runs,omitempty"`
	// Publication is what a call sends to people outside this machine.
	Publication *Publication `json:"publication,omitempty"`
	// Touched are, beside Paths, all that a call is about. Of what a command changed these are
	// folders, and what is in a repository; of a file that a link leads to, the path of the link;
	// of a new folder, the files in it. Denials count for them; nobody is shown them.
	Touched []string `json:"-"`
	// Whole are new folders among Paths that have more in them than could be listed: what that
	// is, neither Paths nor Touched says. A rule about files covers one only with everything
	// that may be in it.
	Whole []string `json:"-"`
	// Unconfined is set where the machine cannot hold the command: then every
	// call is asked about, one by one.
	Unconfined bool `json:"unconfined,omitempty"`
}

// Repository is what a command did to a repository of git.
type Repository struct {
	// Path is its folder, such as ".git"; Does are clauses, such as "1 commit on main, 3
	// files".
	Path string   `json:"path"`
	Does []string `json:"does"`
}

// Done is how a command ended whose changes wait for a decision.
type Done struct {
	// Files is how many files it changed; Paths may name a part of them.
	Files int `json:"files"`
	// Output is what it wrote last, with a line on how it ended; at most 4 KiB.
	Output string `json:"output,omitempty"`
	Failed bool   `json:"failed,omitempty"`
	// Ignored is what it changed of what git ignores, such as build output.
	Ignored []Ignored `json:"ignored,omitempty"`
}

// Ignored is a folder that git ignores, or a file, and how many files in it changed.
type Ignored struct {
	Path  string `json:"path"`
	Files int    `json:"files"`
}

// Act is what was decided about, for the record: all of a command's text, of
// which the summary may show a part.
func (e Effect) Act() string { return cmp.Or(e.Command, e.Summary) }

// LeavesSandbox reports whether a call does what belay neither confines nor takes back: a
// command outside the sandbox, or a call to a program that belay does not run.
func (e Effect) LeavesSandbox() bool { return e.Outside || e.Kind == External }

// Manner says how a command runs that does not just run in the sandbox to its end, in
// words that follow its tool's name, "" for others.
func (e Effect) Manner() string {
	switch {
	case e.Outside:
		return "outside the sandbox"
	case e.Background:
		return "in the background"
	}
	return ""
}

// Fingerprint is the same for effects that are the same: what a person was asked
// about and what is done can be compared across processes.
func (e Effect) Fingerprint() string {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // it holds nothing but texts and flags
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
