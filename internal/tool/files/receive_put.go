package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"

	"belay/internal/attachment"
	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/permit/review"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/risk"
)

// put writes a file at a place whose folders may be missing, as a whole or not at all. Done
// is false where another file is there. A file with the same content is left as it is.
func (c *receiveCall) put(ctx context.Context, p place, file attachment.Content) (done bool, err error) {
	changing.Lock()
	defer changing.Unlock()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if p.scratch {
		if there, same, err := holds(p, file); there || err != nil {
			return same, err
		}
		return true, putScratch(p, file)
	}
	if err := writable(c.w, p, path.Join(c.written, path.Base(p.name))); err != nil {
		return false, err
	}
	pass, err := c.w.Gate.Enter(ctx, c.w.Project)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, pass.Leave()) }()
	if there, same, err := holds(p, file); there || err != nil {
		return same, err
	}
	return true, c.putProject(ctx, p, file)
}

// holds reports whether there is something at a place, and whether that is the same file.
func holds(p place, file attachment.Content) (there, same bool, err error) {
	f, info, err := p.open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, false, nil
	case errors.Is(err, durable.ErrNotRegular):
		return true, false, nil
	case err != nil:
		return false, false, err
	}
	defer f.Close()
	if info.Size() != file.Size() {
		return true, false, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return true, false, err
	}
	return true, hex.EncodeToString(h.Sum(nil)) == file.SHA256(), nil
}

// putScratch writes a file of the scratch folder, which has no journal.
func putScratch(p place, file attachment.Content) (err error) {
	dir := path.Dir(p.name)
	folder, made, err := makeFolder(p.root, dir)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, folder.Close()); err != nil {
			removeFolders(p.root, dir, made)
		}
	}()
	temp := durable.TempName(file.SHA256())
	if err := durable.RemoveTemp(folder, temp); err != nil {
		return err
	}
	w, err := durable.Create(folder, temp, 0o666, durable.Cache)
	if err != nil {
		return err
	}
	err = errors.Join(pour(w, file), w.Close())
	if err == nil {
		err = durable.Rename(folder, temp, path.Base(p.name))
	}
	if err != nil {
		_ = folder.Remove(temp) // the error before it is returned
	}
	return err
}

// pour writes a content.
func pour(w io.Writer, file attachment.Content) error {
	r, err := file.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, r.Close())
}

// putProject writes a file of the project through the journal. The caller has entered it.
func (c *receiveCall) putProject(ctx context.Context, p place, file attachment.Content) (err error) {
	after := review.Version{Exists: true, Mode: 0o644}
	if automatic, _ := (risk.Project{Root: c.w.Root, Path: c.w.Path, GitConfigs: c.w.GitConfigs}).Of([]review.Entry{{Path: p.name, After: after}}); len(automatic) > 0 {
		return tool.Refuse("a file there would run by itself: %s", automatic[0]).WithHint("name another downloadDir")
	}
	j, err := OpenJournal(ctx, c.w.Journal, c.w.Project, c.w.Root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	noted := []session.Change{{
		Path: p.name, After: file.SHA256(), AfterBytes: file.Size(), Folders: missingFolders(p.root, path.Dir(p.name)),
	}}
	if file.Size() <= c.w.Limits.KeepBytes {
		r, err := file.Open()
		if err != nil {
			return err
		}
		_, _, err = c.w.Blobs.Put(ctx, r, file.Size())
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	plan := newFile(ctx, receiveName, noted[0], file.Open)
	err = Transact(ctx, c.w, j, plan, noted)
	if conflict := (*journal.ConflictError)(nil); errors.As(err, &conflict) {
		return tool.Refuse("%s was made by something else meanwhile", p.shown()).WithHint("call it again").Because(err)
	}
	if err == nil {
		c.w.Ledger.Note(noted...)
	}
	return err
}
