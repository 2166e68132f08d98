package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"belay/internal/durable"
)

const (
	fileName = "devices.json"
	lockName = "devices.lock"
	// version is that of the file's format.
	version = 1
	// maxFile bounds what is read of it: it holds some 300 bytes for each device.
	maxFile = 256 << 10
)

// file is devices.json.
type file struct {
	V int `json:"v"`
	// Key shows that the devices are those of the operator's token; others count for nothing.
	Key     string   `json:"key"`
	Devices []Device `json:"devices"`
}

func (s *Store) keyMark() string { return sign(s.o.Key, "belay devices") }

// load reads the file. One that cannot be read lets nobody in. s.mu is held.
func (s *Store) load() error {
	s.kept, s.seen, s.broken = nil, nil, nil
	data, info, err := durable.ReadFile(nil, s.path(), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		s.release()
		return nil
	}
	var f file
	if err == nil {
		err = errors.Join(durable.CheckVersion(fileName, data, version), json.Unmarshal(data, &f))
	}
	s.seen = info
	if err != nil {
		s.release()
		s.broken = fmt.Errorf("the list of devices, %s, cannot be read: %w", s.path(), err)
		return s.broken
	}
	if f.Key == s.keyMark() {
		for _, d := range f.Devices[:min(len(f.Devices), MaxDevices)] {
			if idPattern.MatchString(d.ID) {
				d.Kept = true
				s.kept = append(s.kept, d)
			}
		}
	}
	s.release()
	return nil
}

// change replaces the devices in the file by what f makes of them, while no other process
// does. s.mu is held.
func (s *Store) change(ctx context.Context, f func([]Device) []Device) (err error) {
	if err := os.MkdirAll(s.o.StateDir, 0o700); err != nil {
		return err
	}
	lock, err := durable.WaitLock(ctx, filepath.Join(s.o.StateDir, lockName))
	if err != nil {
		return fmt.Errorf("the list of devices: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if err := s.load(); err != nil {
		return err
	}
	now := s.o.Now()
	all := slices.DeleteFunc(f(slices.Clone(s.kept)), func(d Device) bool { return !now.Before(d.Expires) })
	data, err := json.MarshalIndent(file{version, s.keyMark(), all}, "", "  ")
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.o.StateDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := durable.WriteFile(root, fileName, append(data, '\n'), 0o600, durable.Devices); err != nil {
		return fmt.Errorf("the list of devices: %w", err)
	}
	return s.load()
}
