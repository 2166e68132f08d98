//go:build !linux

package index

import "errors"

func newWatcher(string) (watcher, error) {
	return nil, errors.New("this system is not asked to tell of changes")
}
