// Package files holds the tools with which a model looks at a project's files and
// changes them (read, write, edit, list, glob and grep), attachment.add, with which it
// sends some to people, and attachment.download, with which it gets those that people sent.
// [New] returns them.
//
// Three rules hold for all of them.
//
// A path is resolved once. It becomes the name that it really leads to, without
// links, inside the project or the session's scratch folder; scope and protection
// are asked about that name, people decide on that name, and the work is done on
// it. Each folder on the way is opened through the one above it and must be the
// very folder that was looked at, so a link that somebody puts in its place later
// leads nowhere: not out of the project, and not to a protected file inside it.
//
// A file is changed as a whole or not at all. A change is worked out before
// anybody is asked, against a content whose hash is kept; when it is done the file
// must still have that content, or the change is refused. It replaces the name,
// not the bytes after it, so other hard links of the file keep what they had.
//
// Everything is bounded: what one call reads, writes, lists and tells. What was
// left out is said, with the way to get it.
//
// [Revert] and [Diff] are undo: they work on the changes that the tools noted.
//
// Contract: turn API REQ-04; architecture, "Security posture" and "A change to a
// project file".
package files

import (
	"encoding/json"
	"runtime"
	"sync"

	"belay/internal/attachment/download"
	"belay/internal/tool"
)

// Options configures the tools. The zero value works.
type Options struct {
	// Workers bounds the goroutines of one glob or grep; 0 means one for each
	// processor, at most 8.
	Workers int
	// Downloads fetches files that people sent, from the hosts that its policy names.
	// Links knows their addresses. Without the two there is no attachment.download.
	Downloads *download.Downloads
	Links     Links
}

// New returns the file tools, in the order in which models see them.
func New(o Options) []tool.Tool {
	if o.Workers <= 0 {
		o.Workers = walkers()
	}
	all := []tool.Tool{read{}, write{}, edit{}, list{}, glob{o.Workers}, grep{o.Workers}, send{}}
	if o.Downloads != nil && o.Links != nil {
		all = append(all, receive{o.Downloads, o.Links})
	}
	return all
}

// walkers is how many goroutines walk through folders.
func walkers() int { return min(runtime.GOMAXPROCS(0), 8) }

// changing keeps two changes of one file apart in a process.
var changing sync.Mutex

// decode reads an input.
func decode[T any](input json.RawMessage) (T, error) {
	var v T
	err := tool.Decode(input, &v)
	return v, err
}
