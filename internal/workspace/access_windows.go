package workspace

import (
	"errors"
	"os"
)

// permitted lists the folder, and to write creates and removes a file: access lists on
// Windows have no cheaper question that gives the true answer.
func permitted(path string, write bool) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := d.Close(); err != nil || !write {
		return err
	}
	f, err := os.CreateTemp(path, ".belay-access-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
