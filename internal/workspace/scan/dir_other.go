//go:build !linux

package scan

func openDir(path string) (dir, error) { return openRooted(path) }
