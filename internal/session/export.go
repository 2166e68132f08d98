package session

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/lazyregexp"
)

// fileSums is the last file of an export: the SHA-256 of every other one, as
// sha256sum -c reads them.
const fileSums = "SHA256SUMS"

// hexRun finds what may hold the hash of a blob in a transcript.
var hexRun = lazyregexp.New(`[0-9a-f]{64,}`)

// Archive takes sessions out of projects and into them.
type Archive struct{ store *Store }

// Export writes a session as a tar.gz: its record, transcript, log and the blobs
// that the transcript refers to, then their sums. A session whose turn runs is
// exported as it was when each file was reached, in whole lines. Blobs that hold something else
// than they once did are left out, as no import would take them. Their hashes are returned,
// and those of attachments that are not there any more.
func (s *Archive) Export(ctx context.Context, id string, w io.Writer) (leftOut []string, err error) {
	l, err := s.store.states.enter(id)
	if err != nil {
		return nil, err
	}
	defer s.store.states.leave(l)
	l.mu.Lock()
	rec, err := l.record()
	p := l.path
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	root, err := p.open()
	if err != nil {
		return nil, storage("the session cannot be exported", err)
	}
	z := gzip.NewWriter(w)
	e := exporter{ctx: ctx, store: s.store, id: id, tar: tar.NewWriter(z), sums: map[string]string{}, leftOut: map[string]bool{}, time: rec.UpdatedAt.Time}
	err = storage("the session cannot be exported", errors.Join(e.all(root, rec.ProjectRoot), z.Close()))
	return slices.Sorted(maps.Keys(e.leftOut)), err
}

// exporter writes the files of one session.
type exporter struct {
	ctx   context.Context
	store *Store
	id    string
	tar   *tar.Writer
	time  time.Time
	sums  map[string]string
	// leftOut are hashes of blobs that cannot be written.
	leftOut map[string]bool
}

// all writes the session in a folder, which it closes. Its blobs are those of a project,
// if one is given.
func (e *exporter) all(root *os.Root, project string) error {
	defer func() { _ = root.Close() }()
	if err := e.session(root); err != nil {
		return err
	}
	if err := e.blobs(root, project); err != nil {
		return err
	}
	return errors.Join(e.writeSums(), e.tar.Close())
}

// session writes the files of the session's folder.
func (e *exporter) session(root *os.Root) error {
	err := e.file(root, fileRecord, fileRecord, false)
	if missing(err) {
		err = e.record(root)
	}
	if err != nil {
		return err
	}
	names := []string{fileTranscript}
	numbers, err := listSegments(root)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		names = append(names, segmentName(n))
	}
	for _, name := range names {
		if err := e.file(root, name, name, true); err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

// record writes the record that the transcript tells of.
func (e *exporter) record(root *os.Root) error {
	rec, err := rebuildRecord(root, e.id)
	if err != nil {
		return refused("there is no %s: %s", fileRecord, reason(err))
	}
	b, err := encodeRecord(rec, "")
	if err != nil {
		return err
	}
	return e.write(fileRecord, int64(len(b)), bytes.NewReader(b))
}

// blobs writes those that the transcript refers to and the project has.
func (e *exporter) blobs(session *os.Root, project string) error {
	if project == "" {
		return nil
	}
	if err := e.attached(session); err != nil {
		return err
	}
	b := Blobs{store: e.store, project: project}
	root, err := b.open(false)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	refs, err := references(session, root)
	if err != nil {
		return err
	}
	for _, sha := range slices.Sorted(maps.Keys(refs)) {
		if _, err := b.look(root, sha); errors.Is(err, errNotGenuine) {
			e.leftOut[sha] = true
			continue
		}
		err := e.file(root, sha, "blobs/"+sha, false)
		if err != nil && !missing(err) {
			return err
		}
		e.leftOut[sha] = err != nil
	}
	maps.DeleteFunc(e.leftOut, func(_ string, out bool) bool { return !out })
	return nil
}

// attached takes all attachments of the transcript for left out, until they are written.
func (e *exporter) attached(session *os.Root) error {
	return scanFile(session, fileTranscript, func(b []byte, _ int64) error {
		entry, err := parseEntry(b)
		if err != nil {
			return nil // it is exported as it is
		}
		for _, it := range entry.Files() {
			e.leftOut[it.SHA256] = hashPattern.MatchString(it.SHA256)
		}
		return nil
	})
}

// file writes one file, of a growing one only the whole lines that it has now.
func (e *exporter) file(root *os.Root, name, as string, lines bool) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	f, err := openRegular(root, name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if lines {
		if size, err = durable.Whole(f, size); err != nil {
			return err
		}
	}
	return e.write(as, size, f)
}

func (e *exporter) write(name string, size int64, r io.Reader) error {
	err := e.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: e.time, Typeflag: tar.TypeReg})
	if err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(e.tar, h), r, size); err != nil {
		return fmt.Errorf("export %s: %w", name, err)
	}
	e.sums[name] = hex.EncodeToString(h.Sum(nil))
	return nil
}

func (e *exporter) writeSums() error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(e.sums)) {
		fmt.Fprintf(&b, "%s  %s\n", e.sums[name], name)
	}
	return e.write(fileSums, int64(b.Len()), strings.NewReader(b.String()))
}
