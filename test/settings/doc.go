// Package settings tests every setting where a user meets it: at the exit code and
// the output of a command, the answer of the server, the request that a provider
// gets, the bytes on disk. A setting that is read and shown and does nothing fails
// here. The tests look into /proc, so they run on Linux.
package settings
