// Package durable is how belay puts bytes on a disk so that a crash never leaves
// half of something.
//
// It knows four things and nothing about what the bytes mean:
//
//   - [WriteFile] replaces a small file as a whole: readers see the old content
//     or the new one.
//   - [Lines] is a file that only grows, one line at a time. A write that fails
//     half way is taken back; a line that a crash cut is dropped at the next
//     open. [Scan] reads such a file while it grows.
//   - [Lock] is a lock that the kernel frees when its process dies, so no lock
//     ever has to be judged stale.
//   - [Committer] makes many files durable at once with few threads.
//
// A write that returned is safe from a crash of the process. Only what was
// committed is safe from a power cut.
//
// Files inside folders that others may change are opened through [os.Root], so
// a planted symbolic link cannot lead a write out of its folder.
package durable
