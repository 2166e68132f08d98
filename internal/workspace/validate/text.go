package validate

import (
	"slices"
	"strings"

	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// text is a Markdown file that is looked at.
type text struct {
	doc  *document.Document
	w    *worker
	path string
	// id is that of the deliverable whose file it is.
	id string
	// listed counts what was found, followed the places that were looked for.
	listed, followed int
}

const (
	// maxListed is how many findings one file has.
	maxListed = 500
	// maxFollowed is how many places one file leads to that are looked for.
	maxFollowed = 1000
)

// add takes a finding; those beyond the bound are reported in one.
func (t *text) add(f finding.Finding) {
	switch t.listed++; {
	case t.listed <= maxListed:
		t.w.add(f)
	case t.listed == maxListed+1:
		t.w.add(ruleMore.At(t.path, 0, "the file has more findings than the %d that are listed", maxListed))
	}
}

// follows reports whether one more place may be looked for.
func (t *text) follows() bool {
	if t.followed++; t.followed == maxFollowed+1 {
		t.w.add(ruleMore.At(t.path, 0, "the file leads to more than %d places; the others were not looked for", maxFollowed))
	}
	return t.followed <= maxFollowed
}

// title asks for the first heading to be want, followed by the id, and by anything
// where more is set; an id in it must be the deliverable's.
func (t *text) title(form, id *finding.Rule, want string, more bool) {
	headings := t.doc.Headings()
	if len(headings) == 0 || headings[0].Level != 1 {
		t.add(form.At(t.path, 1, "there is no title").WithFix("begin with # %s%s", want, t.id))
		return
	}
	h := headings[0]
	if other := otherID(h.Text, t.id); other != "" {
		t.add(id.At(t.path, h.Line+1, "the title names %s, the folder is %s", other, t.id).Of(other))
		return
	}
	rest, ok := strings.CutPrefix(h.Text, want+t.id)
	if !ok || rest != "" && (!more || rest[0] != ' ') {
		f := form.At(t.path, h.Line+1, "the title is %q", shown(h.Text)).WithFix("write # %s%s", want, t.id)
		if more {
			f = f.WithFix("write # %s%s and the name", want, t.id)
		}
		t.add(f)
	}
}

// otherID is a deliverable's id in a text that is not the one that it should be.
func otherID(s, want string) string {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(" \t`*_:,;()[]/", r) }) {
		if layout.IsDeliverableID(word) && layout.Number(word) != layout.Number(want) {
			return word
		}
	}
	return ""
}

// sections asks for sections of level 2 by the specification's names; those that
// real files call something else are found too, and listed of. It returns them by
// the specification's names.
func (t *text) sections(file string, missing, named *finding.Rule, names ...string) map[string]document.Section {
	found := map[string]document.Section{}
	var absent []string
	all := t.doc.Sections()
	for _, name := range names {
		i := -1
		for _, alias := range document.Names(file, name) {
			if i = slices.IndexFunc(all, func(s document.Section) bool { return document.Same(s.Text, alias) }); i >= 0 {
				break
			}
		}
		switch {
		case i < 0:
			absent = append(absent, name)
			continue
		case !document.Same(all[i].Text, name):
			t.add(named.At(t.path, all[i].Line+1, "the section %s is called %q", name, shown(all[i].Text)).Of(all[i].Text).WithFix("call it ## %s", name))
		}
		found[name] = all[i]
	}
	if len(absent) > 0 {
		t.add(missing.At(t.path, 0, "there is no section %s", strings.Join(absent, ", ")))
	}
	return found
}

// bare is a value without the marks around it.
func bare(value string) string {
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(value), "`*"))
}
