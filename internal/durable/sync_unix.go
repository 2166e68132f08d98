//go:build unix

package durable

import "os"

// syncDir makes the entries of a directory durable: files created in, renamed
// into or removed from it. Systems that cannot flush a directory do nothing.
func syncDir(root *os.Root, dir string) error {
	d, err := root.OpenFile(dir, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
