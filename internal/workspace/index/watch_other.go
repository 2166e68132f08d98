//go:build !linux

package index

import "errors"

func newWatcher(string) (watcher, error) {
	return nil, errors.New("this system does not report changes")
}
