package pipeline

import (
	"path/filepath"
	"strings"

	"belay/internal/workspace/scan"
)

// message is the first message of a session. Names of files are data of the project: each
// is put on one line of its own.
func (p *plan) message(d *scan.ListedDeliverable) string {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			b.WriteString("- **" + name + ":** " + oneLine(value) + "\n")
		}
	}
	b.WriteString("Carry out your protocol for this work.\n\n")
	row("Category", p.category.id)
	row(p.category.selector, p.kind.id)
	if p.category.id == Task {
		row("Scope mode", p.ScopeMode)
		row("Knowledge type", p.KnowledgeType)
	}
	if d == nil {
		row("Scope", "the whole project")
		row("Execution root", ".")
	} else {
		row("Deliverable", d.ID+" "+d.Name)
		row("Package", d.Pkg)
		row("Folder", relative(p.ProjectRoot, d.Path))
		row("State", strings.ToUpper(d.Status))
	}
	b.WriteString("\n")
	if d == nil {
		b.WriteString("Report what you did, what you left open, and who can answer it.\n")
	} else {
		b.WriteString("Work on this deliverable only. Report what you did, what you left open, and who can answer it.\n")
	}
	if note := strings.TrimSpace(p.Note); note != "" {
		b.WriteString("\nThe person adds:\n\n" + note + "\n")
	}
	return b.String()
}

// oneLine is a name without characters that would begin another line.
func oneLine(s string) string { return strings.Join(strings.Fields(clip(s)), " ") }

// relative is a folder of the project with slashes.
func relative(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

// title is what lists call the session.
func (p *plan) title(d *scan.ListedDeliverable) string {
	title := p.category.id + " " + p.kind.id
	if p.category.id == Prep || p.category.id == Task {
		title = p.kind.id
	}
	if d != nil {
		title += ": " + d.ID + " " + d.Name
	}
	return oneLine(title)
}
