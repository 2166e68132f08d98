package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"belay/internal/durable"
)

// segmentHashes are the lengths and hashes of a session's finished segments, by number,
// kept in the state folder.
type segmentHashes map[string]position

// segmentHashesOf returns what is known of a session; a lost or spoilt file knows nothing.
func segmentHashesOf(state *os.Root, id string) segmentHashes {
	b, _, err := durable.ReadFile(state, dirSegmentHashes+"/"+id, 16<<20)
	k := segmentHashes{}
	if err != nil || json.Unmarshal(b, &k) != nil {
		return segmentHashes{}
	}
	return k
}

// changeSegmentHashes lets change change what is known, and writes it.
func (l *sessionState) changeSegmentHashes(change func(segmentHashes)) error {
	state := l.store.stateDir.Root()
	k := segmentHashesOf(state, l.id)
	change(k)
	b, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("encode segment hashes: %w", err)
	}
	return durable.WriteFile(state, dirSegmentHashes+"/"+l.id, append(b, '\n'), 0o600, durable.SegmentHashes)
}

// missedSegments says which finished segments are not there or not as long as
// they were. Their bytes are only hashed by [Store.Verify]: they may be many.
func (l *sessionState) missedSegments(root *os.Root, k segmentHashes, numbers []int, n note, after boot) []string {
	k = maps.Clone(k)
	if n.Segment > 0 && after == sameBoot && !slices.Contains(numbers, n.Segment) {
		k[strconv.Itoa(n.Segment)] = n.Log
	}
	var said []string
	for number, m := range k.ascending() {
		c := hashChain{name: segmentName(number)}
		info, err := root.Lstat(c.name)
		if err == nil {
			c.seen, c.size = info, info.Size()
		}
		if err != nil || c.size != m.Size && number != n.Segment {
			said = append(said, c.verdict(m, false, &prefixHash{}))
		}
	}
	return said
}

// ascending iterates over the segments in order.
func (k segmentHashes) ascending() func(yield func(int, position) bool) {
	numbers := make([]int, 0, len(k))
	for name := range k {
		if n, err := strconv.Atoi(name); err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return func(yield func(int, position) bool) {
		for _, n := range numbers {
			if !yield(n, k[strconv.Itoa(n)]) {
				return
			}
		}
	}
}
