package journal

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// MaxPath is the longest path, in bytes, that the journal can change.
const MaxPath = 4096

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
