package workspace

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Scope says which files of a project an agent may change: what its persona's
// WRITE_SCOPE opens (workspace 9.5), less the protected files (architecture,
// "Security posture"). It looks at names only, never at the disk: a caller that
// follows links asks about the name that they lead to. It is immutable and safe
// for concurrent use.
//
// Protected names are compared in a form that ignores what some file system
// ignores (case, normal forms, dots at the end); the folders that a scope opens
// are compared exactly. Both err on the side of no.
type Scope struct {
	zone         zone
	orchestrator bool
	// instructions and private are folders inside the project, folded.
	instructions, private []string
}

// ScopeOptions describes an agent and its project.
type ScopeOptions struct {
	// WriteScope is the cell of the persona's Agent Type table, as written. The
	// first word counts; none, an unknown word and "" open nothing.
	WriteScope string
	// Persona is the persona's id.
	Persona string
	// InstructionRoot is the absolute path of the instruction root, "" when it is
	// embedded. It matters where it is inside the project.
	InstructionRoot string
	// Private are absolute paths of folders that no tool may see should they are
	// inside the project, as they do when somebody works on a home folder: the
	// operator's state folder and the user's configuration.
	Private []string
	// Project is the absolute path of the project.
	Project string
}

// NewScope returns the scope of an agent.
func NewScope(o ScopeOptions) *Scope {
	s := &Scope{
		zone:         parseWriteScope(o.WriteScope),
		orchestrator: o.Persona == orchestrator,
		instructions: inProject(o.Project, o.InstructionRoot),
	}
	for _, p := range o.Private {
		s.private = append(s.private, inProject(o.Project, p)...)
	}
	return s
}

// ScopeError says why an agent may not change a file.
type ScopeError struct {
	// Path is relative to the project.
	Path string
	// Protected is set where no agent may, whatever its scope.
	Protected bool
	// Reason continues a sentence that begins with the path.
	Reason string
}

// Error implements error.
func (e *ScopeError) Error() string { return fmt.Sprintf("%s %s", e.Path, e.Reason) }

// Allows returns nil where the agent may write path with a file tool, or a
// [*ScopeError]. Path is relative to the project, with slashes; exists says
// whether there is a file now.
func (s *Scope) Allows(name string, exists bool) error {
	clean := path.Clean(name)
	if name == "" || clean == "." || !filepath.IsLocal(filepath.FromSlash(clean)) {
		return &ScopeError{Path: name, Protected: true, Reason: "is not a file of the project"}
	}
	if why := s.protection(clean); why != "" {
		return &ScopeError{Path: clean, Protected: true, Reason: why}
	}
	for _, part := range components(clean) {
		if SameName(Fold(part), nameGit) {
			return &ScopeError{Path: clean, Protected: true, Reason: "belongs to git"}
		}
	}
	if !s.zone.allows(clean, exists) {
		return &ScopeError{Path: clean, Reason: "is outside the write scope: " + s.Describe()}
	}
	return nil
}

// Protected reports whether path is one that no command may leave changed. It is
// what [Scope.Allows] refuses whatever the write scope, except that of .git only
// the settings and hooks count, because commands may use git.
func (s *Scope) Protected(name string) bool { return s.protection(path.Clean(name)) != "" }

// Hidden reports whether path is never shown to an agent: belay's own folder,
// at any depth, and what is private to the operator.
func (s *Scope) Hidden(name string) bool {
	if plain(name) && len(s.private) == 0 {
		return false
	}
	for _, part := range components(name) {
		if SameName(Fold(part), nameBelay) {
			return true
		}
	}
	return within(path.Clean(name), s.private)
}

// plain reports whether no spelling of a hidden name can be in path, which is so
// for nearly all paths.
func plain(path string) bool {
	for i := range len(path) {
		switch c := path[i]; {
		case c == '.' && i+1 < len(path) && (path[i+1] == 'b' || path[i+1] == 'B'), c == '~', c >= 0x80:
			return false
		}
	}
	return true
}

// Describe is one sentence for the model: what it may write.
func (s *Scope) Describe() string {
	if s.zone.says == "" {
		return "you may write no files of the project."
	}
	protected := []string{"_STATUS.md", "_CONTEXT.md", "Dependencies.csv", "_LATEST.md", "_MEMORY.md", "snapshots", ".git", ".belay"}
	if !s.orchestrator {
		protected = append(protected, "_REFERENCES.md")
	}
	return "you may " + s.zone.says + "; " + strings.Join(protected, ", ") + " are protected."
}
