//go:build !linux

package shell

// roles are only played on Linux.
var roles map[string]func([]string) int
