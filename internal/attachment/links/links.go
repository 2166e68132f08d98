// Package links keeps the addresses of files that people sent.
//
// An address may be signed: with its query anybody gets the file. So models, transcripts and
// logs have the item with an opaque id and the address without its query ([Store.Keep]), and
// the whole address lies in the state folder, which no agent can read. The tool that gets
// the files asks for it by the item ([Store.Address]).
//
// Signed addresses expire. A surface that can ask for a new one says so with
// [Store.Provide], and [Store.Renew] asks it.
//
// Specification: the bus and Discord, B2 and B4.
package links

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"belay/internal/attachment/block"
	"belay/internal/durable"
	"belay/internal/fault"
)

// Renewer asks a surface for a new address of a file.
type Renewer interface {
	// Renew returns the present address of the item that has this id. A [*GoneError] says
	// why there is none, such as that the message was deleted.
	Renew(ctx context.Context, id string) (address string, err error)
}

// GoneError says that a file has no address any more. Its text is for the model and has no
// secrets.
type GoneError struct {
	Reason string
	Err    error
}

// Error implements error.
func (e *GoneError) Error() string { return e.Reason + " (ask the person to send the file again)" }

// Unwrap returns the cause.
func (e *GoneError) Unwrap() error { return e.Err }

// Store keeps addresses in a folder. It is safe for concurrent use, also by several
// processes.
type Store struct {
	dir   *durable.Folder
	clock func() time.Time

	mu       sync.RWMutex
	renewers map[string]Renewer // by the beginning of ids
}

// Age is how long an address is kept.
const Age = 30 * 24 * time.Hour

// Open opens the store in a folder, which it makes. The caller closes it.
func Open(dir string, clock func() time.Time) (*Store, error) {
	folder, err := durable.NewFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	return &Store{dir: folder, clock: clock, renewers: map[string]Renewer{}}, nil
}

// Close closes the folder.
func (s *Store) Close() error { return s.dir.Close() }

// record is the content of a file.
type record struct {
	URL string `json:"url"`
}

// Keep keeps the addresses of items and returns the items as records have them: with an id
// and without what is secret. Items that are not [block.Item.Valid] are left out. The error
// is a STORAGE_FAILURE.
func (s *Store) Keep(items []block.Item) ([]block.Item, error) {
	var public []block.Item
	for _, it := range items {
		if !it.Valid() {
			continue
		}
		if it.URL != "" {
			if it.ID == "" {
				it.ID = "link:" + digest(it.URL)[:20]
			}
			if err := s.write(it); err != nil {
				return nil, fault.New(fault.StorageFailure, "the address of a file could not be kept").Because(err)
			}
		}
		public = append(public, it.Public())
	}
	return public, nil
}

func (s *Store) write(it block.Item) error {
	data, err := json.Marshal(record{it.URL})
	if err != nil {
		return err
	}
	err = durable.WriteFile(s.dir.Root(), nameOf(it), data, 0o600, durable.FileAddress)
	if errors.Is(err, fs.ErrNotExist) { // somebody removed the folder
		if _, err = s.dir.Restore(); err == nil {
			err = durable.WriteFile(s.dir.Root(), nameOf(it), data, 0o600, durable.FileAddress)
		}
	}
	return err
}

// maxRecord is more than any address needs.
const maxRecord = 64 << 10

// Address is the whole address of an item. Where it is not kept any more, it is the one
// that the item has.
func (s *Store) Address(it block.Item) (string, error) {
	data, _, err := durable.ReadFile(s.dir.Root(), nameOf(it), maxRecord)
	var r record
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return it.URL, nil
	case err != nil:
		return "", fault.New(fault.StorageFailure, "the address of a file could not be read").Because(err)
	case json.Unmarshal(data, &r) != nil:
		return it.URL, nil // a power cut damaged it
	}
	return r.URL, nil
}

// Provide has r renew the addresses of items whose ids begin with prefix.
func (s *Store) Provide(prefix string, r Renewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewers[prefix] = r
}

// Renew asks the surface of an item for a new address and keeps it. The error is a
// [*GoneError], also where no surface gives addresses, ctx's, or a STORAGE_FAILURE.
func (s *Store) Renew(ctx context.Context, it block.Item) (string, error) {
	r := s.renewer(it.ID)
	if r == nil {
		return "", &GoneError{Reason: "its address has expired"}
	}
	address, err := r.Renew(ctx, it.ID)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if gone, ok := errors.AsType[*GoneError](err); ok {
		return "", gone
	}
	renewed := it
	renewed.URL = address
	if err != nil || !renewed.Valid() {
		return "", &GoneError{Reason: "its address has expired, and a new one could not be had", Err: err}
	}
	if _, err := s.Keep([]block.Item{renewed}); err != nil {
		return "", err
	}
	return address, nil
}

func (s *Store) renewer(id string) Renewer {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for prefix, r := range s.renewers {
		if strings.HasPrefix(id, prefix) {
			return r
		}
	}
	return nil
}

// Sweep removes the addresses that are older than [Age].
func (s *Store) Sweep(ctx context.Context) error {
	entries, err := fs.ReadDir(s.dir.Root().FS(), ".")
	if err != nil {
		return fmt.Errorf("links: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if info, err := e.Info(); err != nil || s.clock().Sub(info.ModTime()) < Age {
			continue
		}
		if err := durable.Remove(s.dir.Root(), e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// nameOf is the file of an item.
func nameOf(it block.Item) string { return digest(it.ID) + ".json" }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
