package workspace

import (
	"errors"
	"os"
)

// permitted creates and removes a file: access lists on Windows have no cheaper
// question that gives the true answer.
func permitted(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := d.Close(); err != nil {
		return err
	}
	f, err := os.CreateTemp(path, ".belay-access-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
