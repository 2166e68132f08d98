package decomposition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/layout"
)

// Ids of scope items and objectives in running text, also as ranges.
var (
	scopeIDs     = lazyregexp.New(`SOW-([0-9]{1,6})(?:\s*(?:[–—…]|-+|\.\.\.?|\bto\b|\bthrough\b)\s*SOW-([0-9]{1,6}))?`)
	objectiveIDs = lazyregexp.New(`OBJ-([0-9]{1,6})(?:\s*(?:[–—…]|-+|\.\.\.?|\bto\b|\bthrough\b)\s*OBJ-([0-9]{1,6}))?`)
)

const (
	// maxListed bounds how many ids the ranges of one value are written out to.
	maxListed = 10_000
	// maxWritten bounds those of a whole document, and rangedBytes is how many of its bytes
	// give it one more: a range takes a few bytes, and each of very many deliverables may
	// have one.
	maxWritten  = 1_000_000
	rangedBytes = 4
)

// rangeBudget is how many ids the ranges of a document of that size are written out to.
func rangeBudget(size int) int { return min(maxListed+size/rangedBytes, maxWritten) }

// itemSet are the scope items and objectives that a document defines.
type itemSet struct {
	// numbers are the ids without leading zeros, and "SOW" and "OBJ" where there are any.
	numbers map[string]bool
	// order are the numbers of each prefix, "SOW-" or "OBJ-", sorted.
	order map[string][]int
}

// sort makes the order of all that is defined.
func (s *itemSet) sort() {
	s.order = map[string][]int{}
	for id := range s.numbers {
		if prefix, number, ok := strings.Cut(id, "-"); ok {
			if n, err := strconv.Atoi(number); err == nil {
				s.order[prefix+"-"] = append(s.order[prefix+"-"], n)
			}
		}
	}
	for _, all := range s.order {
		slices.Sort(all)
	}
}

// after are the defined numbers of a prefix that are greater than from.
func (s *itemSet) after(prefix string, from int) []int {
	all := s.order[prefix]
	i, _ := slices.BinarySearch(all, from+1)
	return all[i:]
}

// listed returns the ids in text, each once, ranges written out. Of a range only
// the ids that exist count, where both its ends do: projects leave gaps. Left is how many
// ids of ranges may still be looked at; cut is set where there were more.
func (s *itemSet) listed(ids *lazyregexp.Regexp, text string, left *int) (all []string, cut bool) {
	seen := map[string]bool{}
	add := func(id string) {
		if !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	for _, m := range ids.FindAllStringSubmatch(text, -1) {
		prefix := m[0][:len("SOW-")]
		first, last := m[1], m[2]
		add(prefix + first)
		if last == "" {
			continue
		}
		from, _ := strconv.Atoi(first) // six digits at most
		to, _ := strconv.Atoi(last)
		write := func(n int) bool {
			if n >= to {
				return false
			}
			if *left <= 0 {
				cut = true
				return false
			}
			*left--
			add(fmt.Sprintf("%s%0*d", prefix, len(first), n))
			return true
		}
		if s.numbers[layout.Number(prefix+first)] && s.numbers[layout.Number(prefix+last)] {
			for _, n := range s.after(prefix, from) {
				if !write(n) {
					break
				}
			}
		} else {
			for n := from + 1; write(n); n++ {
			}
		}
		add(prefix + last)
	}
	return all, cut
}
