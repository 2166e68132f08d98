package watch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"belay/internal/session"
)

// own are those of the differences that the command made: not what others of belay
// told that they would change, and not what changed when it was over.
func (r *review) own(all []change) (own []change) {
	for _, c := range all {
		if t, told := r.told[c.path]; told {
			if r.stands(c, t) {
				continue
			}
			c = c.since(t)
		}
		if r.tooLate(c) {
			r.later++
			continue
		}
		own = append(own, c)
	}
	if r.later > 0 {
		r.note("%d files of the project changed when the command was over; that is not taken for its work", r.later)
	}
	return own
}

// endTime is how long after the last sign of a command's processes something may
// have changed and still be the command's: that sign comes once in a second.
const endTime = time.Second

// tooLate reports whether something changed after the command had ended. When
// something was removed cannot be told.
func (r *review) tooLate(c change) bool {
	return !r.until.IsZero() && c.is && time.Unix(0, c.new.ctime).After(r.until.Add(endTime))
}

// stands reports whether a path is what a change left that was told.
func (r *review) stands(c change, t session.Change) bool {
	switch {
	case !c.is || c.new.mode.IsDir():
		return t.After == ""
	case t.After == "":
		return false
	case c.new.mode.Type() == fs.ModeSymlink:
		return hexSum([]byte(c.new.target)) == t.After
	case !c.new.mode.IsRegular() || c.new.size != t.AfterBytes:
		return false
	}
	f, err := r.place.Root.OpenFile(c.path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return err == nil && hex.EncodeToString(sum.Sum(nil)) == t.After
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// since is the change from what was told on: somebody else made of the file what
// the command then changed.
func (c change) since(t session.Change) change {
	c.was, c.old, c.told = t.After != "", entry{}, t.After
	if c.was {
		c.old.size = t.AfterBytes
		if c.old.mode = t.AfterMode; c.old.mode.Perm() == 0 {
			c.old.mode |= 0o644 // it was not known yet
		}
	}
	return c
}

// content opens what a file held before the command changed it, false where that
// was not kept.
func (r *review) content(c change) (io.ReadCloser, bool) {
	if c.told == "" {
		kept, ok := r.p.keep.content(c.path, c.old)
		return io.NopCloser(kept), ok
	}
	blob, err := r.place.Blobs.Content(c.told)
	if err != nil {
		return nil, false
	}
	kept, err := blob.Open()
	return kept, err == nil
}

// describe is how a person is told of the command in a finding.
func (a announcement) describe() string {
	return fmt.Sprintf("belay died while this command ran, at %s or later; what it had done was found out afterwards", a.Began.Format(time.RFC3339))
}
