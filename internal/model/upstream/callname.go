package upstream

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// CallNames gives the tool calls of one request names and ids that the service takes. A
// model may have written any: a name of another model's habit, an id of another service
// or the same id in every answer. A service refuses the whole request for one of them.
//
// The same request gives the same names and ids, and what is added at its end changes
// none of those before it: prompt caches depend on that.
type CallNames struct {
	// MaxName and MaxID are the most bytes that each may have.
	MaxName, MaxID int
	// AnyID is set for services that also take their own ids with other characters.
	AnyID bool

	used map[string]bool
	// next is the number of the next call that has an id again.
	next map[string]int
	// open are the ids of the last answer's calls, as the service gets them, by the ids
	// that they have here.
	open map[string][]string
}

// Name is the name of a tool as the service takes it.
func (n *CallNames) Name(name string) string { return clean(name, n.MaxName, wordByte) }

// Answer begins the calls of the next answer.
func (n *CallNames) Answer() { n.open = map[string][]string{} }

// Call is the id of a call of the answer as the service gets it.
func (n *CallNames) Call(id string) string {
	if n.used == nil {
		n.used, n.next = map[string]bool{}, map[string]int{}
	}
	unique := n.id(id, n.MaxID)
	for n.used[unique] {
		n.next[id]++
		again := "_" + strconv.Itoa(n.next[id]+1)
		unique = n.id(id, n.MaxID-len(again)) + again
	}
	n.used[unique] = true
	n.open[id] = append(n.open[id], unique)
	return unique
}

// Result is the id of the call that a result with that id answers.
func (n *CallNames) Result(id string) string {
	open := n.open[id]
	if len(open) == 0 {
		return n.id(id, n.MaxID)
	}
	if len(open) > 1 {
		n.open[id] = open[1:]
	}
	return open[0]
}

// id is an id as the service takes it, in at most so many bytes.
func (n *CallNames) id(id string, most int) string {
	if n.AnyID {
		return clean(id, most, visibleByte)
	}
	return clean(id, most, wordByte)
}

// clean returns s if all of it is taken and short enough. Otherwise a hash keeps two
// that differ apart.
func clean(s string, most int, taken func(byte) bool) string {
	good := s != "" && len(s) <= most
	for i := 0; good && i < len(s); i++ {
		good = taken(s[i])
	}
	if good {
		return s
	}
	hash := sha256.Sum256([]byte(s))
	end := "_" + hex.EncodeToString(hash[:4])
	begin := []byte(s[:min(len(s), most-len(end))])
	for i, c := range begin {
		if !wordByte(c) {
			begin[i] = '_'
		}
	}
	return string(begin) + end
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

func visibleByte(c byte) bool { return c > ' ' && c <= '~' }
