package scaffold

import (
	"crypto/sha256"
	"encoding/hex"
)

// Source is the SHA-256 of the document, in hexadecimal.
func (p *Plan) Source() string {
	sum := sha256.Sum256(p.source)
	return hex.EncodeToString(sum[:])
}

// Text is the document itself.
func (p *Plan) Text() []byte { return p.source }

// Makes lists the folders and files that are missing, relative to the root, with
// the content of each file; a folder's is nil.
func (p *Plan) Makes() []Made {
	var all []Made
	for s := range p.all() {
		all = append(all, Made{s.path, s.data})
	}
	return all
}

// Made is a folder or file of a [Plan].
type Made struct {
	Path string
	Data []byte
}

// Replaces is the project's copy of the decomposition, relative to the root, with
// what it holds, where the run would put the document in its place; "" otherwise.
func (p *Plan) Replaces() (name string, was []byte) {
	if p.archive == "" {
		return "", nil
	}
	return p.copy, p.was
}

// all yields every step in the order of the answer.
func (p *Plan) all() func(yield func(step) bool) {
	return func(yield func(step) bool) {
		for _, s := range p.steps {
			if !yield(s) {
				return
			}
		}
		for _, u := range p.units {
			for _, s := range u.steps {
				if !yield(s) {
					return
				}
			}
		}
	}
}
