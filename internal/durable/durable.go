// Package durable is how belay puts bytes on a disk. A crash of the process
// never leaves half of something, and a power cut takes nothing that was
// acknowledged.
//
// Every file that belay writes is of one kind ([File]) and so of one class: kept,
// or rebuildable. [Files] is the table. Every change of belay's files and of a
// project's goes through this package:
//
//   - [WriteFile] replaces a small file as a whole, [Replacement.Put] one
//     that belongs to somebody else, and [Create] makes one piece by piece.
//   - [Lines] is a file that only grows, one line at a time. A write that fails
//     half way is taken back; a line that a crash cut is dropped at the next
//     open. [Scan] reads such a file while it grows.
//   - [Rename], [Exchange] and the like change names, and
//     [FlushDir] makes names durable.
//   - [Folder] is an open folder that is made again where somebody removed it.
//
// Beside them are [Lock], a lock that the kernel frees when its process dies, so
// that no lock ever has to be judged stale, and [Committer], which makes many
// files durable at once with few threads.
//
// Files inside folders that others may change are opened through [os.Root], so
// a planted symbolic link cannot lead a write out of its folder.
package durable
