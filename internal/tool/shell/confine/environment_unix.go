//go:build !windows

package confine

// systemNames are variables without which programs of this system do not run.
var systemNames []string

func systemHomes(_, _ string) []string { return nil }
