package scan

import (
	"bytes"
	"slices"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/layout"
)

// maxMarker is how much of a decomposition document is searched for a marker.
const maxMarker = 8 << 20

// mark looks for the first decomposition document of the current folder, by name,
// that speaks of knowledge types. Of very many documents it looks at the first.
func (k *worker) mark() {
	slices.Sort(k.documents)
	for _, name := range k.documents[:min(len(k.documents), layout.MaxDecompositions)] {
		text, err := k.here.Read(name, k.text, maxMarker)
		if err != nil {
			if !dir.Gone(err) {
				k.unreadable(k.child([]byte(name)), err)
			}
			continue
		}
		k.text = text
		if hasMarker(text) {
			k.found.markers = append(k.found.markers, k.child([]byte(name)))
			break
		}
	}
	if cap(k.text) > 1<<20 {
		k.text = nil // decomposition documents are large, and few
	}
}

// hasMarker reports whether a document mentions knowledge categories, knowledge
// types or a domain decomposition, at the beginning of a word. A file's name alone
// says nothing. It changes text to lower case.
func hasMarker(text []byte) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] = c + ('a' - 'A')
		}
	}
	return mentions(text, "knowledge ", "categories", "types") ||
		mentions(text, "domain", "decomp", " decomp", "_decomp", "-decomp")
}

// mentions reports whether text has a word that begins with one of what may follow
// it right behind.
func mentions(text []byte, word string, follow ...string) bool {
	for {
		i := bytes.Index(text, []byte(word))
		if i < 0 {
			return false
		}
		rest := text[i+len(word):]
		if i == 0 || !isWord(text[i-1]) {
			for _, f := range follow {
				if bytes.HasPrefix(rest, []byte(f)) {
					return true
				}
			}
		}
		text = text[i+1:]
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// KnowledgeType is a kind of file that deliverables have (workspace 15.3).
type KnowledgeType struct {
	ID, Label string
	// Files are those of which a deliverable has at least one.
	Files Files
}

// Knowledge lists the knowledge types, in the order of the specification.
func Knowledge() []KnowledgeType {
	return []KnowledgeType{
		{"datasheet", "Datasheet", Datasheet},
		{"specification", "Specification", Specification},
		{"guidance", "Guidance", Guidance},
		{"procedure", "Procedure", Procedure},
		{"dependencies", "Dependencies", Dependencies | Register},
		{"references", "References", References},
		{"context", "Context", Context},
		{"status", "Status", Status},
		{"semantic", "Semantic", Semantic | Lensing},
		{"memory", "Memory", Memory},
	}
}
