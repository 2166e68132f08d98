package watch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"belay/internal/session"
)

// record adds what the command did to a path, with the contents before and
// after. A file that was only touched is no change.
func (r *review) record(c change) error {
	if !c.was && !c.is {
		return nil
	}
	rec := session.Change{Path: c.path, BeforeMode: c.old.mode, AfterMode: c.new.mode}
	if !c.was {
		rec.Folders = r.made.around(c.path)
	}
	if c.was {
		if err := r.recordBefore(c, &rec); err != nil {
			return err
		}
	}
	if c.is {
		if err := r.recordAfter(c, &rec); err != nil {
			return err
		}
	}
	if rec.Before == rec.After && rec.BeforeMode == rec.AfterMode && rec.Before != "" {
		return nil
	}
	r.Changes = append(r.Changes, rec)
	return nil
}

func (r *review) recordBefore(c change, rec *session.Change) (err error) {
	rec.BeforeBytes = c.old.size
	switch {
	case c.old.mode.Type() == fs.ModeSymlink:
		rec.Before, _, err = r.place.Blobs.Put(r.ctx, strings.NewReader(c.old.target), int64(len(c.old.target)))
	case !c.old.mode.IsRegular():
		rec.Lost = "it was not a regular file"
	default:
		kept, ok := r.content(c)
		if !ok {
			rec.Lost = r.notKept(c.old)
			break
		}
		rec.Before, _, err = r.place.Blobs.Put(r.ctx, kept, c.old.size)
		err = errors.Join(err, kept.Close())
	}
	return err
}

// notKept is why a content was not kept.
func (r *review) notKept(e entry) string {
	if e.size > r.place.FileBytes {
		return fmt.Sprintf("it had more than the %d bytes of a file that are kept", r.place.FileBytes)
	}
	return fmt.Sprintf("the project has more than the %d bytes that are kept, or the file could not be read", r.w.o.KeepBytes)
}

func (r *review) recordAfter(c change, rec *session.Change) (err error) {
	rec.AfterBytes = c.new.size
	switch {
	case c.new.mode.Type() == fs.ModeSymlink:
		rec.After, _, err = r.place.Blobs.Put(r.ctx, strings.NewReader(c.new.target), int64(len(c.new.target)))
		return err
	case !c.new.mode.IsRegular():
		rec.Lost = "it is not a regular file"
		return nil
	}
	f, err := r.place.Root.OpenFile(c.path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		rec.Lost = "it cannot be read"
		return nil
	}
	defer func() { _ = f.Close() }()
	if c.new.size <= r.place.FileBytes {
		rec.After, rec.AfterBytes, err = r.place.Blobs.Put(r.ctx, f, r.place.FileBytes)
		return err
	}
	// Too large to be kept, and still known by its hash.
	sum := sha256.New()
	if rec.AfterBytes, err = io.Copy(sum, f); err != nil {
		return fmt.Errorf("read %s: %w", c.path, err)
	}
	rec.After = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// sameContent compares a file with what was kept of it.
func sameContent(root *os.Root, p string, kept io.Reader) bool {
	f, err := root.OpenFile(p, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(f, a)
		m, errB := io.ReadFull(kept, b)
		if !bytes.Equal(a[:n], b[:m]) || (errA == nil) != (errB == nil) {
			return false
		}
		if errA != nil {
			return true
		}
	}
}
