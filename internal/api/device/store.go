package device

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options configure a store.
type Options struct {
	// StateDir is the operator's state folder; "" keeps devices in memory only.
	StateDir string
	// Key is the operator's token.
	Key string
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Failed gets failures that no caller learns of; nil drops them.
	Failed func(error)
}

// Store keeps devices. It is safe for concurrent use.
type Store struct {
	o Options

	mu sync.Mutex
	// kept is what the file holds, as of seen; nil where there was none.
	kept []Device
	seen fs.FileInfo
	// broken is why the file cannot be read.
	broken error
	// unkept are devices that the file could not take.
	unkept []Device
	// holds end what devices do, by their ids.
	holds map[string]map[*func()]bool
}

// New returns the store of a state folder. It reads nothing yet.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	return &Store{o: o, holds: map[string]map[*func()]bool{}}
}

// Add makes a device that expires after life, and returns the secret of its cookie. The device
// is in the file when Add returns, or Kept is false: then it ends with this process.
func (s *Store) Add(ctx context.Context, label string, life time.Duration) (d Device, secret string) {
	now := s.o.Now().UTC().Truncate(time.Millisecond)
	d = Device{ID: "dev_" + strings.ToLower(rand.Text()[:10]), Label: label[:min(len(label), maxLabel)], Created: now, Seen: now, Expires: now.Add(life)}
	secret = rand.Text()
	d.Proof = proof(s.o.Key, d.ID, secret)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.StateDir != "" {
		ctx, cancel := context.WithTimeout(ctx, changeTime)
		defer cancel()
		err := s.change(ctx, func(all []Device) []Device {
			all = append(all, d)
			slices.SortStableFunc(all, func(a, b Device) int { return b.Seen.Compare(a.Seen) })
			return all[:min(len(all), MaxDevices)]
		})
		if err == nil {
			d.Kept = true
			return d, secret
		}
		s.o.Failed(err)
	}
	s.unkept = append(s.unkept, d)
	s.unkept = s.unkept[max(0, len(s.unkept)-MaxDevices):]
	return d, secret
}

// Find returns the device that a cookie is of, and notes that it was used.
func (s *Store) Find(ctx context.Context, id, secret string) (Device, bool) {
	if !idPattern.MatchString(id) {
		return Device{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now().UTC().Truncate(time.Millisecond)
	d := s.find(id)
	if d == nil || !now.Before(d.Expires) || subtle.ConstantTimeCompare([]byte(d.Proof), []byte(proof(s.o.Key, id, secret))) != 1 {
		return Device{}, false
	}
	found := *d
	if now.Sub(d.Seen) < seenEvery {
		return found, true
	}
	d.Seen, found.Seen = now, now
	if found.Kept {
		ctx, cancel := context.WithTimeout(ctx, noteTime)
		defer cancel()
		err := s.change(ctx, func(all []Device) []Device {
			for i := range all {
				if all[i].ID == id {
					all[i].Seen = now
				}
			}
			return all
		})
		if err != nil {
			s.o.Failed(err)
		}
	}
	return found, true
}

// noteTime bounds how long a request waits until its device is noted as used.
const noteTime = time.Second

// find returns a device, in place. s.mu is held.
func (s *Store) find(id string) *Device {
	_ = s.refresh() // a file that cannot be read lets nobody in; who changes or lists it gets the error
	for _, all := range [][]Device{s.kept, s.unkept} {
		if i := slices.IndexFunc(all, func(d Device) bool { return d.ID == id }); i >= 0 {
			return &all[i]
		}
	}
	return nil
}

// List returns the devices that have not expired, the one that was used last first.
func (s *Store) List() ([]Device, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	now := s.o.Now()
	all := slices.DeleteFunc(slices.Concat(s.kept, s.unkept), func(d Device) bool { return !now.Before(d.Expires) })
	slices.SortStableFunc(all, func(a, b Device) int { return b.Seen.Compare(a.Seen) })
	return all, nil
}

// changeTime bounds how long a change waits for one that another process makes.
const changeTime = 5 * time.Second

// Remove takes the authority from a device, and ends what it does. It reports whether there was
// such a device. It is gone from the file when Remove returns.
func (s *Store) Remove(ctx context.Context, id string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.find(id)
	if d == nil {
		return false, nil
	}
	is := func(d Device) bool { return d.ID == id }
	if d.Kept {
		ctx, cancel := context.WithTimeout(ctx, changeTime)
		defer cancel()
		if err := s.change(ctx, func(all []Device) []Device { return slices.DeleteFunc(all, is) }); err != nil {
			return false, err
		}
	}
	s.unkept = slices.DeleteFunc(s.unkept, is)
	s.release()
	return true, nil
}

// Hold has end called when the device of that id is removed, until the returned function is
// called.
func (s *Store) Hold(id string, end func()) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(id) == nil { // it was removed just now
		end()
	}
	if s.holds[id] == nil {
		s.holds[id] = map[*func()]bool{}
	}
	s.holds[id][&end] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.holds[id], &end); len(s.holds[id]) == 0 {
			delete(s.holds, id)
		}
	}
}

// release ends what devices do that are gone. s.mu is held.
func (s *Store) release() {
	for id, ends := range s.holds {
		if slices.ContainsFunc(slices.Concat(s.kept, s.unkept), func(d Device) bool { return d.ID == id }) {
			continue
		}
		for end := range ends {
			(*end)()
		}
		delete(s.holds, id)
	}
}

// path is where the file lies.
func (s *Store) path() string { return filepath.Join(s.o.StateDir, fileName) }

// refresh reads the file if it has changed. s.mu is held.
func (s *Store) refresh() error {
	if s.o.StateDir == "" {
		return nil
	}
	info, err := os.Stat(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.kept, s.seen, s.broken = nil, nil, nil
		s.release()
		return nil
	case err != nil:
		return err
	case s.seen != nil && os.SameFile(info, s.seen) && info.ModTime().Equal(s.seen.ModTime()) && info.Size() == s.seen.Size():
		return s.broken
	}
	return s.load()
}
