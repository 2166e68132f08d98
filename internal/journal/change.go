package journal

import (
	"errors"
	"io"
	"io/fs"
)

// Op is what a change does.
type Op string

// The changes that there are.
const (
	Create  Op = "create"  // a regular file where there was nothing
	Replace Op = "replace" // a regular file in the place of a file or link
	Symlink Op = "symlink" // a link, where there was nothing or a file or link
	Mkdir   Op = "mkdir"   // a folder; one that is there already will do
	Remove  Op = "remove"  // a file or link; one that is gone already will do
	Rmdir   Op = "rmdir"   // an empty folder; one that is gone already will do
	Mode    Op = "mode"    // the permissions of a file or folder
	Rename  Op = "rename"  // a folder, or a file, to a name that is free
)

// Type is what a path is.
type Type string

// The types.
const (
	None   Type = ""
	File   Type = "file"
	Link   Type = "link"
	Folder Type = "folder"
	other  Type = "other" // a device, a pipe, a socket: never in a record
)

// State is what stands, or is to stand, at a path. A caller that asks for a change
// says the type, the permissions where they matter, and the hash or the target;
// the journal finds out the rest.
type State struct {
	Type Type `json:"type,omitempty"`
	// Mode are the permissions. 0 are those that the path had before; for something new
	// they are 0666 or 0777 without the bits of the umask.
	Mode fs.FileMode `json:"mode,omitempty"`
	UID  int         `json:"uid,omitempty"`
	GID  int         `json:"gid,omitempty"`
	Size int64       `json:"size,omitempty"`
	// SHA256 is of a file's content, in hex, Target where a link leads.
	SHA256 string `json:"sha256,omitempty"`
	Target Name   `json:"target,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	Links  uint64 `json:"links,omitempty"`
	// Device is that of the file system while the process lives that looked.
	Device uint64 `json:"-"`
}

// Change is one step of a transaction.
type Change struct {
	Op   Op   `json:"op"`
	Path Name `json:"path"`
	// To is the new name of what is renamed.
	To Name `json:"to,omitempty"`
	// Before is what the change was reviewed for: what is found instead is a
	// conflict. After is what it leaves.
	Before State `json:"before"`
	After  State `json:"after"`
	// IfEmpty makes a folder that is not empty stay, which is no conflict then.
	IfEmpty bool `json:"ifEmpty,omitempty"`
	// Loose says of something new that it can be made again: in a new folder that is
	// moved as a whole its content is not flushed, and a power cut may damage it.
	Loose bool `json:"loose,omitempty"`
	// Taken says that what is put in its place is the file, link or folder itself that
	// lay among the plan's contents, Whole that a new folder comes with all that later
	// changes put in it. The journal sets both.
	Taken bool `json:"taken,omitempty"`
	Whole bool `json:"whole,omitempty"`
	// Tree is set on a new folder that is moved with all the content of it among the plan's
	// contents, of which no change says anything.
	Tree *Tree `json:"tree,omitempty"`
	// Content opens the content of a file that is made or replaced. It is not called
	// for what is taken from the plan's contents.
	Content func() (io.ReadCloser, error) `json:"-"`
	// Seen describes the file of the content as it was before its hash was taken. One
	// that is as it was then is not hashed again. Nil is unknown.
	Seen fs.FileInfo `json:"-"`
}

// Plan is what a transaction is to do, in this order.
type Plan struct {
	Owner   Owner
	Changes []Change
	// Inside is set where a review allowed paths in .git and .belay.
	Inside bool
	// Contents is a folder in .belay of the project which has, at the paths of the
	// changes, what they put in their places: files, links and folders that nothing
	// else uses any more. The transaction moves it into the journal, so that nothing
	// is copied. A transaction that is not made gives it back; one that is made
	// removes it. "" is none.
	Contents Name
}

// places reports whether a change puts something where its path leads.
func (c *Change) places() bool {
	return c.Op == Create || c.Op == Replace || c.Op == Symlink || c.Op == Mkdir
}

// takes reports whether a change takes something away from where its path leads.
func (c *Change) takes() bool { return c.Op == Remove || c.Op == Rmdir }

// steps name what a change does to which path: a transaction frees a name once,
// and gives something to it once.
func (c *Change) steps() []string {
	switch {
	case c.Op == Rename:
		return []string{"free " + string(c.Path), "give " + string(c.To)}
	case c.takes():
		return []string{"free " + string(c.Path)}
	}
	return []string{"give " + string(c.Path)}
}

// Limits of a record.
const (
	maxTarget  = 4096
	maxChanges = 100_000
)

var errPath = errors.New("not a path that the journal may change")

// modeBits are the bits of a mode that the journal keeps.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// is reports whether a path that was looked at is what a change expects.
func (s *State) is(want *State) bool {
	switch {
	case s.Type != want.Type:
		return false
	case s.Type == Link:
		return s.Target == want.Target
	case want.SHA256 != "" && s.SHA256 != want.SHA256:
		return false
	}
	return want.Mode == 0 || s.Mode.Perm() == want.Mode.Perm()
}
