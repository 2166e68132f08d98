// Package record is what the Discord surface remembers: plain files in a folder.
//
//	bindings.json        the channels that people connected with /link
//	channels/ID.jsonl    of one channel: messages, requests, what was sent, questions
//
// A channel's file only grows, one JSON object per line; a later line about the same
// thing wins. Each line is flushed before the method that writes it returns, unless
// the method says otherwise. So after a crash the surface knows which messages it
// accepted, under which id, and which messages of an answer exist.
//
// When a channel is opened, a file that grew long is written again with what still
// counts. The store is for one process at a time, see [Open].
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"belay/internal/discord/routing"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// version is that of both formats.
const version = 1

const (
	dirChannels  = "channels"
	fileBindings = "bindings.json"
	maxBindings  = 4 << 20
)

// idPattern is a Discord id, which becomes the name of a file.
var idPattern = lazyregexp.New(`^[0-9]{1,20}$`)

// ErrInUse says that another process has the store open.
var ErrInUse = errors.New("another process is connected to Discord with this state folder")

// Binding connects a channel to a project.
type Binding struct {
	Guild   string       `json:"guild,omitempty"`
	Project string       `json:"project"`
	Persona string       `json:"persona,omitempty"`
	Mode    routing.Mode `json:"mode"`
	// Deciders may answer questions in the channel.
	Deciders []string `json:"deciders"`
}

// Store is the folder. It is safe for concurrent use.
type Store struct {
	folder *durable.Folder
	lock   *durable.FileLock

	mu       sync.Mutex
	bindings map[string]Binding
	channels map[string]*Channel
}

// Open opens the store in a folder, which it makes, and locks it: where another
// process has it the error is [ErrInUse]. The caller closes it.
func Open(dir string) (_ *Store, err error) {
	folder, err := durable.NewFolder(dir, dirChannels)
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	s := &Store{folder: folder, bindings: map[string]Binding{}, channels: map[string]*Channel{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.lock, err = durable.Lock(filepath.Join(dir, "lock")); err != nil {
		if errors.Is(err, durable.ErrLocked) {
			err = ErrInUse
		}
		return nil, err
	}
	data, _, err := durable.ReadFile(folder.Root(), fileBindings, maxBindings)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	var file bindingsFile
	if err := errors.Join(durable.CheckVersion(fileBindings, data, version), json.Unmarshal(data, &file)); err != nil {
		return nil, fault.New(fault.StorageFailure, "the record of the channels that are connected to Discord cannot be read: %v", err).
			WithHint("run the belay that wrote it, if that is newer; else move %s away, and connect the channels again with /link", filepath.Join(dir, fileBindings)).Because(err)
	}
	if file.Channels != nil {
		s.bindings = file.Channels
	}
	return s, nil
}

type bindingsFile struct {
	V        int                `json:"v"`
	Channels map[string]Binding `json:"channels"`
}

// Close gives the lock back. Nothing can be recorded any more.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	clear(s.channels)
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
		s.lock = nil
	}
	return errors.Join(append(errs, s.folder.Close())...)
}

// Bindings are the connected channels.
func (s *Store) Bindings() map[string]Binding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.bindings)
}

// Bind connects a channel, or changes how it is connected.
func (s *Store) Bind(channel string, b Binding) error {
	if !idPattern.MatchString(channel) {
		return fmt.Errorf("discord: %q is no channel", channel)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := maps.Clone(s.bindings)
	all[channel] = b
	return s.setBindings(all)
}

// Unbind disconnects a channel, and reports whether it was connected.
func (s *Store) Unbind(channel string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, bound := s.bindings[channel]; !bound {
		return false, nil
	}
	all := maps.Clone(s.bindings)
	delete(all, channel)
	return true, s.setBindings(all)
}

// setBindings writes the connected channels. s.mu must be held.
func (s *Store) setBindings(all map[string]Binding) error {
	data, err := json.MarshalIndent(bindingsFile{version, all}, "", "  ")
	if err != nil {
		return err
	}
	if err := durable.WriteFile(s.folder.Root(), fileBindings, append(data, '\n'), 0o600, durable.DiscordBindings); err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	s.bindings = all
	return nil
}

// Known are the channels that have a file.
func (s *Store) Known() ([]string, error) {
	dir, err := s.folder.Root().Open(dirChannels)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && idPattern.MatchString(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Remove forgets a channel, with its file.
func (s *Store) Remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[id]; c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.removed = true
		delete(s.channels, id)
	}
	if err := durable.Remove(s.folder.Root(), channelFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("discord: channel %s: %w", id, err)
	}
	return nil
}

// Channel reads a channel's file. The first line that is added makes it.
func (s *Store) Channel(id string) (*Channel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[id]; c != nil {
		return c, nil
	}
	if !idPattern.MatchString(id) {
		return nil, fmt.Errorf("discord: %q is no channel", id)
	}
	c := &Channel{id: id, root: s.folder.Root(), state: newState()}
	if err := c.open(); err != nil {
		return nil, fmt.Errorf("discord: channel %s: %w", id, err)
	}
	s.channels[id] = c
	return c, nil
}

func channelFile(id string) string { return dirChannels + "/" + id + ".jsonl" }

// read gives the lines of a channel's file to f. A line that cannot be read is left
// out: it says nothing about the others.
func read(root *os.Root, id string, f func(line)) (size int64, err error) {
	file, info, err := durable.OpenRegular(root, channelFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	_, err = durable.Scan(file, maxLine, func(b []byte, _ int64) error {
		if err := durable.CheckVersion(channelFile(id), b, version); err != nil {
			return err
		}
		var l line
		if json.Unmarshal(b, &l) == nil {
			f(l)
		}
		return nil
	})
	return info.Size(), err
}
