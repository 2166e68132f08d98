//go:build !linux

package index

func newWatcher(string) (watcher, error) { return nil, errNoEvents }
