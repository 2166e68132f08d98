package persona

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"belay/internal/fault"
)

// preface tells the model how to read the instructions that follow: which agent
// it is and which section wins (workspace 9.4).
const preface = `You are the agent %s. Everything after this paragraph is your instruction file.

Parts of it may stand between the markers [[BEGIN:NAME]] and [[END:NAME]]. Where two parts disagree, follow the one that comes first in this order, and keep as much of the other as still fits:

PROTOCOL > SPEC > STRUCTURE > RATIONALE

PROTOCOL is how you proceed. SPEC is what a valid result must satisfy. STRUCTURE is the shape of what you write. RATIONALE explains intent and is never a reason to break the other three.

`

// SystemPrompt returns the persona's instructions, framed by the precedence of
// their sections. The same file always gives the same bytes, so that a provider's
// prompt cache holds.
func (p Persona) SystemPrompt() string { return p.prompt }

// Sources are the files that SystemPrompt is made of, in its order.
func (p Persona) Sources() []Source { return []Source{p.Source} }

// GlobalModel returns the model that the frontmatter of the root's AGENTS.md
// names, or "". It is the tier of the model chain below the configuration and
// above the default. It looks at that file alone; when the file cannot be read,
// the error is INSTRUCTION_ROOT_INVALID.
func (r *Root) GlobalModel() (string, error) {
	d, err := r.load("AGENTS.md")
	if err == nil {
		return d.persona.Model, nil
	}
	if invalid := r.Check(); invalid != nil {
		return "", invalid
	}
	return "", fault.New(fault.InstructionRootInvalid, "the instruction root's AGENTS.md cannot be read").
		With("instructionRoot", r.name()).With("missingEntries", []string{}).With("invalidEntries", []string{"AGENTS.md"}).
		Because(err)
}

// Fingerprint identifies what a session was booted with: the persona, the mode,
// and the contents of the instruction files that a turn of it uses, which are
// the persona's own and AGENTS.md. It is 64 hex digits and changes exactly when
// one of them does. An AGENTS.md that cannot be read counts as changed.
func (r *Root) Fingerprint(p Persona, mode string) string {
	global := "unreadable"
	if d, err := r.load("AGENTS.md"); err == nil {
		global = d.persona.Source.SHA256
	}
	h := sha256.New()
	for _, part := range []string{"belay boot 1", p.ID, mode, p.Source.SHA256, global} {
		// The length keeps two neighbours from being read as one.
		_, _ = io.WriteString(h, fmt.Sprintf("%d:%s\n", len(part), part))
	}
	return hex.EncodeToString(h.Sum(nil))
}
