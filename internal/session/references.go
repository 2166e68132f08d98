package session

import "os"

// references returns which blobs of a store a session's transcript mentions,
// whatever the shape of the line: a mention too many keeps a blob that nobody
// needs, one too few loses it.
func references(session, blobs *os.Root) (map[string]bool, error) {
	names, err := list(blobs, ".")
	if err != nil {
		return nil, err
	}
	stored := make(map[string]bool, len(names))
	for _, name := range names {
		stored[name] = hashPattern.MatchString(name)
	}
	refs := map[string]bool{}
	return refs, mentions(session, stored, refs)
}

// mentions adds to refs those hashes of stored that the transcript has in it.
func mentions(session *os.Root, stored, refs map[string]bool) error {
	return scanFile(session, fileTranscript, func(b []byte, _ int64) error {
		mark(b, stored, refs)
		return nil
	})
}

// mark adds to refs those hashes of stored that a text has in it.
func mark(b []byte, stored, refs map[string]bool) {
	const size = 64
	for _, run := range hexRun.FindAll(b, -1) {
		// A hash may follow other hex digits without a border.
		for i := 0; i+size <= len(run); i++ {
			if stored[string(run[i:i+size])] {
				refs[string(run[i:i+size])] = true
			}
		}
	}
}
