package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"

	"belay/internal/durable"
	"belay/internal/lazyregexp"
)

var segmentPattern = lazyregexp.New(`^log/[0-9]{4,9}\.jsonl$`)

// importer unpacks one session.
type importer struct {
	store *Store
	root  *os.Root // the folder it is unpacked into
	blobs *Blobs
	got   map[string]string // name to hash
	bytes int64
}

// all receives every file and compares the hashes.
func (im *importer) all(ctx context.Context, src *archive) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		name, r, err := src.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(im.got) >= im.store.o.ImportFiles {
			return tooLarge("more than %d files", im.store.o.ImportFiles)
		}
		if _, twice := im.got[name]; twice {
			return refused("%s comes twice", name)
		}
		if im.got[name], err = im.one(ctx, name, r); err != nil {
			return err
		}
	}
	for name, sha := range im.got {
		if src.sums[name] != sha {
			return refused("%s does not have the hash that %s records", name, fileSums)
		}
	}
	for name := range src.sums {
		if _, ok := im.got[name]; !ok {
			return refused("%s, which %s records, is missing", name, fileSums)
		}
	}
	return nil
}

// one receives a file and returns its hash.
func (im *importer) one(ctx context.Context, name string, r io.Reader) (string, error) {
	left := im.store.o.ImportBytes - im.bytes
	limit := left
	sha, isBlob := blobName(name)
	switch {
	case name == fileRecord:
		limit = min(left, maxRecord)
	case name == fileTranscript, isBlob, segmentPattern.MatchString(name) && segmentNumber(path.Base(name)) > 0:
	default:
		return "", refused("%q is not a file of a session", clip(name, 200))
	}
	var (
		got string
		n   int64
		err error
	)
	if isBlob {
		got, n, err = im.blobs.Put(ctx, r, limit)
	} else {
		got, n, err = im.write(name, r, limit)
	}
	im.bytes += n
	switch {
	case errors.Is(err, ErrTooLarge):
		return "", tooLarge("%s is larger than the %d bytes that are left of the limit", name, limit)
	case err == nil && isBlob && got != sha:
		return "", refused("%s holds other content than its name says", name)
	}
	return got, err
}

func blobName(name string) (string, bool) {
	dir, sha := path.Split(name)
	return sha, dir == "blobs/" && hashPattern.MatchString(sha)
}

// write stores one file of the folder.
func (im *importer) write(name string, r io.Reader, limit int64) (string, int64, error) {
	f, err := durable.Create(im.root, name, 0o600, durable.Imported)
	if err != nil {
		return "", 0, storage("the session could not be imported", err)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = ErrTooLarge
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil && !errors.Is(err, ErrTooLarge) {
		err = storage("the session could not be imported", err)
	}
	return hex.EncodeToString(h.Sum(nil)), n, err
}

// settle drops a cut last line of each file, as opening it would, and makes
// everything durable.
func (im *importer) settle(ctx context.Context) error {
	for name := range im.got {
		if name != fileTranscript && !segmentPattern.MatchString(name) {
			continue
		}
		lines, err := durable.OpenLines(im.root, name, 0o600, durable.Imported)
		if err == nil {
			err = lines.Close()
		}
		if err != nil {
			return storage("the session could not be imported", err)
		}
	}
	if err := im.blobs.Sync(ctx); err != nil {
		return err
	}
	return storage("the session could not be imported",
		errors.Join(durable.FlushDir(im.root, dirLog, durable.Imported), durable.FlushDir(im.root, ".", durable.Imported)))
}

// record reads the record that was received.
func (im *importer) record() (Record, error) {
	b, _, err := durable.ReadFile(im.root, fileRecord, maxRecord)
	if missing(err) {
		return Record{}, refused("there is no %s", fileRecord)
	}
	if err != nil {
		return Record{}, storage("the session could not be imported", err)
	}
	rec, _, err := decodeRecord(b)
	if isNewer(err) {
		return Record{}, refused("%v", err).WithHint(durable.NewerHint)
	}
	if err != nil {
		return Record{}, refused("%s is not a session record", fileRecord)
	}
	if !ValidID(rec.SessionID) {
		return Record{}, refused("the session id in %s is not well-formed", fileRecord)
	}
	return rec, nil
}
