package permit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"belay/internal/durable"
	"belay/internal/plainjson"
)

// lockTime is how long one process waits for another's moment with a lock.
const lockTime = 10 * time.Second

// acquire takes a lock that other processes hold for moments only, and waits for
// it until ctx is done, ten seconds at most.
func acquire(ctx context.Context, path string) (*durable.FileLock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	return durable.WaitLock(ctx, path)
}

// makeFolder makes a folder and those above it. The entry of each new one is on
// disk when it returns, unless the folder above may not be read.
func makeFolder(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above := filepath.Dir(path)
	if err := makeFolder(above); err != nil {
		return err
	}
	root, err := os.OpenRoot(above)
	if errors.Is(err, fs.ErrPermission) {
		return os.Mkdir(path, 0o700) // a folder that may be entered and not read
	}
	if err != nil {
		return err
	}
	err = durable.Mkdir(root, filepath.Base(path), 0o700)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = durable.FlushDir(root, ".", durable.Decision)
	}
	return errors.Join(err, root.Close())
}

// writeJSON replaces a small file by v; it is on disk when it returns.
func writeJSON(root *os.Root, name string, v any, kind *durable.File) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	return durable.WriteFile(root, name, data, 0o600, kind)
}

// encode is v as a line of JSON.
func encode(v any) ([]byte, error) {
	text, err := plainjson.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// readJSON reads a file of one JSON value of at most limit bytes, strictly: a
// field that v does not have, or anything after the value, is [errMalformed].
func readJSON(root *os.Root, name string, limit int64, v any) error {
	data, _, err := durable.ReadFile(root, name, limit)
	if errors.Is(err, durable.ErrTooLarge) {
		return fmt.Errorf("%w: %w", errMalformed, err)
	}
	if err != nil {
		return err
	}
	if err := decode(data, v); err != nil {
		return fmt.Errorf("%w: %w", errMalformed, err)
	}
	return nil
}

// errMalformed says that a file was read and does not hold what it should.
var errMalformed = errors.New("the file is malformed")

func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the JSON value")
	}
	return nil
}
