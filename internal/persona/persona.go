// Package persona reads the files that say who an agent is: the instruction
// root with its AGENT_*.md files, what they declare, and which of them may be
// given work by another.
//
// Start with [Open]: a configured folder, or the embedded set for "". A [Root]
// resolves names to a [Persona], lists them, and gives the content fingerprint
// that a session boot records. [Govern] decides, fail closed, whether a turn may
// delegate to subagents. [ProjectNotes] reads the AGENTS.md of a project, which
// adds to a persona's instructions and never replaces them.
//
// Everything is read through os.Root: a name cannot leave the root, whatever
// links lie in it. Parsed files are remembered until their size or time changes,
// so a warm lookup parses nothing. A configured root that is not valid
// is an error and is never replaced by the embedded one.
//
// The package knows no HTTP and no model. Contract: workspace 9 (structure of
// instruction files), 9.7 (metadata), 9.8 (fallback chains).
package persona

import "belay/internal/workspace/finding"

// Type is the value of AGENT_TYPE, one of the three of workspace 9.5.
type Type string

// The agent types. Only a manager may delegate, and only to specialists.
const (
	Architect  Type = "TYPE 0"
	Manager    Type = "TYPE 1"
	Specialist Type = "TYPE 2"
)

// The values of AGENT_CLASS.
const (
	ClassPersona = "PERSONA"
	ClassTask    = "TASK"
)

// Summary is what a list of personas shows. Fields that a file does not declare
// are empty.
type Summary struct {
	// ID is the name in the file name: AGENT_<ID>.md.
	ID   string `json:"id"`
	Type Type   `json:"type,omitempty"`
	// Class is PERSONA or TASK, whatever words follow in the file.
	Class       string `json:"class,omitempty"`
	Description string `json:"description,omitempty"`
	// Tools is nil when the persona names none, so that the runtime's preset
	// applies; an empty list means: no tools at all.
	Tools *[]string `json:"tools,omitempty"`
	// Subagents are the personas this one may delegate to, as IDs, each once.
	Subagents []string `json:"subagents,omitempty"`
	// Surface, WriteScope, Blocking and Outputs are the cells of the file's
	// Agent Type table as written.
	Surface    string `json:"surface,omitempty"`
	WriteScope string `json:"writeScope,omitempty"`
	Blocking   string `json:"blocking,omitempty"`
	Outputs    string `json:"outputs,omitempty"`
	// File is the path below the instruction root, with forward slashes.
	File string `json:"file"`
	// Warnings say in sentences what was wrong with the file, such as
	// frontmatter that is no YAML. Such a file still works; what could not be
	// read counts as not declared.
	Warnings []string `json:"warnings,omitempty"`
	// Findings are how the file differs from the specification ([Lint]).
	Findings []finding.Finding `json:"findings,omitempty"`
}

// Persona is one parsed instruction file. Values are shared between callers:
// treat every slice and pointer as read-only.
type Persona struct {
	Summary
	// Model applies when this persona is a subagent; it is no tier of a turn's
	// own model chain.
	Model string `json:"model,omitempty"`
	// MaxTurns is 0 when not declared, else positive.
	MaxTurns         int      `json:"maxTurns,omitempty"`
	DisallowedTools  []string `json:"disallowedTools,omitempty"`
	AutoApproveTools []string `json:"autoApproveTools,omitempty"`
	// Body is the file without its frontmatter, byte for byte.
	Body string `json:"body"`
	// Source names the file's bytes for manifests and fingerprints.
	Source Source `json:"source"`

	// prompt is what SystemPrompt returns: one string for all turns.
	prompt string
}

// Source is one file that went into a prompt.
type Source struct {
	// Path is absolute, or "embedded:" and the path below the root.
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	// Bytes is the size of the whole file.
	Bytes int64 `json:"bytes"`
	// Cut is set when only the first bytes were used.
	Cut bool `json:"cut,omitempty"`
}
