package watch

// holding is what is held of a folder's files.
type holding struct {
	folder *folder
	// at is where the content of each of its entries lies in the pack, -1 where
	// it is not held; bytes is how much that is together.
	at    []int64
	bytes int64
	// most is the size up to which files were to be held, missing how many of
	// those are not: there was no room, or they could not be read.
	most    int64
	missing int
	// noted is set while the index has all of this.
	noted bool
}

// file is one that is to be held and is not.
type file struct {
	path string
	in   *holding
	i    int
}

func (f file) entry() entry { return f.in.folder.entries[f.i] }

// carry returns what is held of a folder that was another before, or unknown.
func (h *holding) carry(f *folder, most int64) *holding {
	now := &holding{folder: f, at: make([]int64, len(f.entries)), most: most}
	for i, e := range f.entries {
		now.at[i] = -1
		if h != nil {
			if was, ok := h.folder.find(f.names[i]); ok && h.folder.entries[was] == e && h.at[was] >= 0 {
				now.at[i] = h.at[was]
				now.bytes += e.size
				continue
			}
		}
		if now.wants(e) {
			now.missing++
		}
	}
	return now
}

// wants reports whether a file is one to hold.
func (h *holding) wants(e entry) bool { return e.mode.IsRegular() && e.size <= h.most }
