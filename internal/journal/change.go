package journal

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
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

// MaxPath is the longest path, in bytes, that the journal can change.
const MaxPath = 4096

// Limits of a record.
const (
	maxTarget  = 4096
	maxChanges = 100_000
)

var errPath = errors.New("not a path that the journal may change")

// Check says what is wrong with changes that one transaction is to make, before anything is
// looked at. Inside is that of their [Plan].
func Check(changes []Change, inside bool) error {
	if len(changes) == 0 || len(changes) > maxChanges {
		return fmt.Errorf("journal: a transaction of %d changes", len(changes))
	}
	steps := map[string]bool{}
	for i := range changes {
		c := &changes[i]
		if err := c.check(inside); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		for _, step := range c.steps() {
			if steps[step] {
				return fmt.Errorf("journal: %q is changed twice", c.Path)
			}
			steps[step] = true
		}
	}
	return nil
}

// check says what is wrong with a change, which may come from a damaged record.
func (c *Change) check(inside bool) error {
	if err := checkPath(c.Path, inside); err != nil {
		return err
	}
	if (c.To != "") != (c.Op == Rename) {
		return fmt.Errorf("%q of %q: only a rename has a second name", c.Op, c.Path)
	}
	if c.To != "" {
		if err := checkPath(c.To, inside); err != nil {
			return err
		}
	}
	before, after := c.Before.Type, c.After.Type
	ok := false
	switch c.Op {
	case Create:
		ok = before == None && after == File
	case Replace:
		ok = (before == File || before == Link) && after == File && c.Before.SHA256 != c.After.SHA256
	case Symlink:
		ok = before != Folder && after == Link && c.Before.Target != c.After.Target
	case Mkdir:
		ok = before == None && after == Folder
	case Remove:
		ok = (before == File || before == Link) && after == None
	case Rmdir:
		ok = before == Folder && after == None
	case Mode, Rename:
		ok = before == after && before != None
	}
	if !ok || c.IfEmpty && c.Op != Rmdir || c.Taken && !c.places() || c.Whole && (c.Op != Mkdir || !c.Taken) || c.Tree != nil && c.Op != Mkdir {
		return fmt.Errorf("%q of %q: from %q to %q is no such change", c.Op, c.Path, before, after)
	}
	if c.Tree != nil {
		if err := c.Tree.check(); err != nil {
			return fmt.Errorf("%q of %q: %w", c.Op, c.Path, err)
		}
	}
	for _, s := range []State{c.Before, c.After} {
		if err := s.check(); err != nil {
			return fmt.Errorf("%q of %q: %w", c.Op, c.Path, err)
		}
	}
	if needs := c.places() || c.takes(); needs && (before == File && c.Before.SHA256 == "" || after == File && c.After.SHA256 == "") {
		return fmt.Errorf("%q of %q: the hash of the content is missing", c.Op, c.Path)
	}
	return nil
}

// modeBits are the bits of a mode that the journal keeps.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func (s *State) check() error {
	switch s.Type {
	case None, File, Link, Folder:
	default:
		return fmt.Errorf("%q is no type", s.Type)
	}
	switch {
	case s.Mode&^modeBits != 0:
		return fmt.Errorf("%v are no permissions", s.Mode)
	case s.Size < 0 || s.UID < 0 || s.GID < 0:
		return errors.New("a number is negative")
	case s.SHA256 != "" && (s.Type != File || !isHash(s.SHA256)):
		return errors.New("the hash is none")
	case (s.Target != "") != (s.Type == Link) || len(s.Target) > maxTarget || strings.ContainsRune(string(s.Target), 0):
		return errors.New("a link has a target, and nothing else has")
	case s.Type == None && *s != State{}:
		return errors.New("nothing has no properties")
	}
	return nil
}

func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && strings.ToLower(s) == s
}

// checkPath refuses what is not a clean path below the project, and, unless inside
// is set, the content of a folder of belay or of git.
func checkPath(name Name, inside bool) error {
	p := string(name)
	if p == "" || p == "." || len(p) > MaxPath || strings.ContainsRune(p, 0) || path.Clean(p) != p || !filepath.IsLocal(filepath.FromSlash(p)) {
		return fmt.Errorf("%q: %w", p, errPath)
	}
	if inside {
		return nil
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, dirBelay) || strings.EqualFold(part, ".git") {
			return fmt.Errorf("%q: %w", p, errPath)
		}
	}
	return nil
}

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
