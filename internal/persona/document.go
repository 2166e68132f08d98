package persona

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/workspace/finding"
)

// document is one parsed file of a root, with the stat that it was read at.
type document struct {
	persona Persona
	info    fs.FileInfo // nil in the embedded set, which never changes
	settled bool
}

// current reports whether a stat shows the file as it was when it was parsed.
func (d *document) current(info fs.FileInfo) bool {
	if d.info == nil {
		return true
	}
	return d.settled && info.Size() == d.info.Size() && info.ModTime().Equal(d.info.ModTime()) &&
		info.Mode() == d.info.Mode() && os.SameFile(info, d.info)
}

// parse reads a file's frontmatter and header. Nothing in a file makes it fail:
// what cannot be understood becomes a warning.
func parse(name, shown string, data []byte) *document {
	sum := sha256.Sum256(data)
	l := newLinter(name, data)
	var warnings []string
	if l.notText {
		warnings = append(warnings, "the file is not UTF-8; the bytes that are not were replaced")
	}
	if l.open {
		warnings = append(warnings, "frontmatter begins with --- but never ends; the file is taken as body")
	}
	f, h := l.fields, parseHeader(l.text, l.body)
	warnings = append(append(warnings, f.warnings...), h.warnings...)
	var found []finding.Finding
	if strings.HasPrefix(name, agentsDir) {
		found = l.lint()
	}
	id := idOf(path.Base(name))
	return &document{persona: Persona{
		Summary: Summary{
			ID: id, Type: h.typ, Class: h.class, Description: f.description,
			Tools: f.tools, Subagents: f.subagents,
			Surface: h.surface, WriteScope: h.scope, Blocking: h.blocking, Outputs: h.outputs,
			File: name, Warnings: warnings, Findings: found,
		},
		Model: f.model, MaxTurns: f.maxTurns,
		DisallowedTools: f.disallowed, AutoApproveTools: f.autoApprove,
		Body:   l.rest,
		prompt: fmt.Sprintf(preface, id) + l.rest,
		Source: Source{Path: shown, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))},
	}}
}
