package index

import "errors"

// watcher reports changes in folders, each of which has to be added. Paths are
// relative to the root, with slashes. It is used by one goroutine.
type watcher interface {
	// add begins to watch the folder that has this path now; first is set where it
	// was not watched before under this path. It fails with errGone where there is no such folder.
	add(rel string) (first bool, err error)
	// remove ends that.
	remove(rel string)
	// ready gets a value after something has happened.
	ready() <-chan struct{}
	// take returns all that happened before the call. Lost is set where some of it
	// is not known.
	take() (happened []event, lost bool)
	close() error
}

// event is something that happened to a file or folder.
type event struct {
	path string
	// dir is set for a folder.
	dir bool
	// came and went are set where it was made or moved in, removed or moved out.
	came, went bool
}

var errGone = errors.New("the folder is gone")
