package dir

import "path"

// Nearby opens folders one after another by their paths below Top. The folder that the
// last one is in stays open, because the next one is most often in it too. It is for one
// goroutine.
type Nearby struct {
	Top   Dir
	above Dir
	path  string
}

// Enter opens a folder, which the caller closes.
func (n *Nearby) Enter(rel string) (Dir, error) {
	above, base := path.Split(rel)
	if n.above == nil || above != n.path {
		n.Close()
		if above == "" {
			return n.Top.Enter(base)
		}
		d, err := Descend(n.Top, path.Clean(above))
		if err != nil {
			return nil, err
		}
		n.above, n.path = d, above
	}
	return n.above.Enter(base)
}

// Close closes what Enter keeps open.
func (n *Nearby) Close() {
	if n.above != nil {
		n.above.Close()
		n.above = nil
	}
}
