package persona

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// InlinePrefix begins the ids of agents that no instruction root has. No file name
// of a root has a colon, so none of them can pass for a persona, nor have the
// authority that goes with a persona's name.
const InlinePrefix = "workflow:"

// inlineScope is what such an agent may write: what anybody may, each call asking
// as the turn's mode says.
const inlineScope = "project-level"

// Inline is an agent that is written down elsewhere than in an instruction root: in
// a workflow. Its instructions are framed as those of any persona; from names the
// file that they come from.
func Inline(name, instructions, from string) Persona {
	sum := sha256.Sum256([]byte(instructions))
	id := InlinePrefix + name
	return Persona{
		Summary: Summary{ID: id, WriteScope: inlineScope, File: from},
		Body:    instructions,
		prompt:  fmt.Sprintf(preface, id) + instructions,
		Source:  Source{Path: from, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(instructions))},
	}
}
