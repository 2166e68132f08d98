//go:build !linux

package dir

// Open opens a folder by its path, which may have links.
func Open(path string) (Dir, error) { return OpenPortable(path) }
