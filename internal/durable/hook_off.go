//go:build !crashtest

package durable

// do makes a change of files. Tests of crashes are built with the tag crashtest,
// which puts a hook in front of each change; see hook_on.go.
func do(_ Op, work func() error) error { return work() }

// BootID is a name of the time since the system started, "" where it has none.
// What was written in another such time and not flushed may be lost.
func BootID() string { return systemBootID() }

// inOrder says whether operations run one after the other: under a hook only.
func inOrder() bool { return false }
