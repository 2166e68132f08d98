package files

import "os"

// raw is an open file.
type raw struct{ *os.File }

// open opens a regular file of the folder: no link is followed. It also returns
// the size.
func (h *handle) open(name string) (raw, int64, error) {
	f, info, err := openFile(h.root, name)
	if err != nil {
		return raw{}, 0, err
	}
	return raw{f}, info.Size(), nil
}
