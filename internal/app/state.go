package app

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"belay/internal/durable"
)

// Server is a server of this user that said where it is.
type Server struct {
	URL string `json:"url"`
	// Addr is the address that it listens on.
	Addr    string    `json:"addr,omitempty"`
	PID     int       `json:"pid"`
	Project string    `json:"project,omitempty"`
	Started time.Time `json:"started"`
}

const (
	serversDir   = "servers"
	operatorFile = "operator.token"
	// maxNoteBytes bounds what is read of a token or note; both are tiny.
	maxNoteBytes = 64 << 10
)

// note is a server's entry in the state folder. It holds a lock for as long as
// its process lives, so an entry without one is a dead server's.
type note struct {
	path string
	lock *durable.FileLock
}

func publish(stateDir string, s Server) (*note, error) {
	dir := filepath.Join(stateDir, serversDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("publish the server: %w", err)
	}
	name := strconv.Itoa(s.PID)
	lock, err := durable.Lock(filepath.Join(dir, name+".lock"))
	if err != nil {
		return nil, fmt.Errorf("publish the server: %w", err)
	}
	n := &note{path: filepath.Join(dir, name+".json"), lock: lock}
	data, err := json.Marshal(s)
	if err == nil {
		err = writeIn(dir, name+".json", data)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("publish the server: %w", err), lock.Unlock())
	}
	return n, nil
}

// there reports whether the entry is still in the state folder, under its lock.
func (n *note) there() bool {
	_, err := os.Lstat(n.path)
	return err == nil && n.lock.Named()
}

func (n *note) remove() error {
	err := os.Remove(n.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, n.lock.Unlock())
}

// Servers lists the servers of this user that run now, oldest first. Notes of
// servers that died are removed.
func Servers(stateDir string) ([]Server, error) {
	dir := filepath.Join(stateDir, serversDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list servers: %w", err)
	}
	var all []Server
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		path := filepath.Join(dir, e.Name())
		lock, err := durable.Lock(filepath.Join(dir, name+".lock"))
		if err == nil {
			// Nobody holds it: the server is gone and its note is stale.
			removed := os.Remove(path)
			if errors.Is(removed, fs.ErrNotExist) {
				removed = nil // another command has seen the same
			}
			if err := errors.Join(removed, lock.Unlock()); err != nil {
				return nil, fmt.Errorf("remove the note of a dead server: %w", err)
			}
			continue
		}
		if !errors.Is(err, durable.ErrLocked) {
			return nil, fmt.Errorf("list servers: %w", err)
		}
		var s Server
		if data, err := readNote(path); err == nil && json.Unmarshal(data, &s) == nil {
			all = append(all, s)
		}
	}
	return all, nil
}

// sweepServers removes the locks of servers that are gone. The process that gets a
// lock's number next finds it made anew.
func sweepServers(stateDir string) error {
	dir := filepath.Join(stateDir, serversDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		name, ok := strings.CutSuffix(path, ".lock")
		if _, err := os.Lstat(name + ".json"); !ok || !errors.Is(err, fs.ErrNotExist) {
			continue // a server's, or to be removed by the next listing
		}
		lock, err := durable.Lock(path)
		if err == nil {
			err = errors.Join(os.Remove(path), lock.Unlock())
		} else if errors.Is(err, durable.ErrLocked) {
			err = nil // one that is about to say where it is
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// OperatorToken returns the operator's token, made at the first call. Who
// can read the state folder has the operator's authority.
func OperatorToken(stateDir string) (string, error) {
	path := filepath.Join(stateDir, operatorFile)
	data, err := readNote(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(stateDir, 0o700); err != nil {
			return "", fmt.Errorf("operator token: %w", err)
		}
		if err := createOnce(stateDir, operatorFile, rand.Text()+rand.Text()); err != nil {
			return "", fmt.Errorf("operator token: %w", err)
		}
		data, err = readNote(path)
	}
	if err != nil {
		return "", fmt.Errorf("operator token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < minTokenBytes {
		return "", fmt.Errorf("operator token: %s is damaged; remove it to get a new one", path)
	}
	return token, nil
}

// createOnce writes a file whole unless somebody else was faster.
func createOnce(dir, name, content string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	temp := durable.TempPrefix + rand.Text()
	if err := durable.WriteFile(root, temp, []byte(content+"\n"), 0o600, durable.Secret); err != nil {
		return err
	}
	defer func() { _ = durable.Remove(root, temp) }() // linked by then, or useless
	if err := durable.Link(root, temp, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return durable.FlushDir(root, ".", durable.Secret)
}

func writeIn(dir, name string, data []byte) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return durable.WriteFile(root, name, data, 0o600, durable.Running)
}

func readNote(path string) ([]byte, error) {
	data, _, err := durable.ReadFile(nil, path, maxNoteBytes)
	return data, err
}
