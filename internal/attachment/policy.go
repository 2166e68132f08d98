package attachment

import (
	"cmp"
	"slices"
	"strings"
)

// The limits of the contract (attachment-resolver REQ-05 and REQ-06), in bytes.
// All of them are inclusive: a file of exactly the limit is accepted.
const (
	DefaultFileBytes int64 = 10 << 20
	DefaultTurnBytes int64 = 18 << 20
	DefaultMaxItems        = 100
)

// Policy says what a turn may attach. The zero value is the contract's own
// policy: nine extensions, 10 MiB a file, 18 MiB a turn, files from anywhere.
type Policy struct {
	// Extensions are the accepted file name extensions with their dot, in any
	// case. Nil means [DefaultExtensions]; extensions that the engine has no
	// kind for are ignored.
	Extensions []string
	// FileBytes caps one file, TurnBytes all accepted files of one turn. Zero
	// means the contract's limit.
	FileBytes, TurnBytes int64
	// MaxItems caps the paths of one turn, refused ones included, so that a
	// request cannot make the server open any number of files. The paths after
	// it are refused as OVER_BUDGET without being opened. Zero means
	// [DefaultMaxItems].
	MaxItems int
	// Roots are the folders that files must really lie in, symbolic links in
	// parent folders resolved. Nil means anywhere; an empty list means nowhere.
	Roots []string
}

// DefaultExtensions lists the extensions of the contract, sorted
// (attachment-resolver REQ-03).
func DefaultExtensions() []string {
	list := make([]string, 0, len(extensions))
	for ext := range extensions {
		list = append(list, ext)
	}
	slices.Sort(list)
	return list
}

// withDefaults returns p with every limit set and its extensions lower-cased,
// known and sorted.
func (p Policy) withDefaults() Policy {
	if p.Extensions == nil {
		p.Extensions = DefaultExtensions()
	} else {
		known := make([]string, 0, len(p.Extensions))
		for _, ext := range p.Extensions {
			ext = strings.ToLower(ext)
			if _, ok := extensions[ext]; ok {
				known = append(known, ext)
			}
		}
		slices.Sort(known)
		p.Extensions = slices.Compact(known)
	}
	p.FileBytes = cmp.Or(p.FileBytes, DefaultFileBytes)
	p.TurnBytes = cmp.Or(p.TurnBytes, DefaultTurnBytes)
	p.MaxItems = cmp.Or(p.MaxItems, DefaultMaxItems)
	return p
}
