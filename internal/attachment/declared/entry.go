package declared

import (
	"belay/internal/authored"
	"belay/internal/template"
)

// Entry is one item of an attachments list as its author wrote it. Its texts are
// templates.
type Entry struct {
	// Type is empty where it is a template that has to be evaluated first.
	Type Type
	// Line, Column and Path are its place in the file.
	Line, Column int
	Path         string

	at      *authored.Node
	typ     *template.Template
	sources []source
	plural  bool // given as urls or paths: an empty one is left out
	name    *template.Template
	mime    *template.Template
	meta    *template.Tree

	// project is set where paths begin at the project, said where the author wrote of
	// this entry where they begin.
	project, said bool

	optional bool
	direct   bool // deliver: url
	fetch    bool
	maxPages int
	// given are the fields that not all types have.
	given []string
}

// Each calls see for every template of the entry, with its place and the path to it.
func (e *Entry) Each(see func(t *template.Template, at *authored.Node, path string)) {
	for _, f := range []struct {
		name string
		text *template.Template
	}{{"type", e.typ}, {"name", e.name}, {"mime", e.mime}} {
		if f.text != nil {
			see(f.text, e.at.Field(f.name), e.Path+"."+f.name)
		}
	}
	for i := range e.sources {
		s := &e.sources[i]
		see(s.text, &authored.Node{Line: s.line, Column: s.column}, e.Path+"."+s.field)
	}
	e.meta.Each(see)
}

// source is one address or pattern.
type source struct {
	url  bool
	text *template.Template
	// line and column are its place, field its name in the entry.
	line, column int
	field        string
}

// Decode reads the attachments list n, as part of a file, and notes on r what is
// wrong with it. A nil n is an empty list.
func Decode(n *authored.Node, r *authored.Report, path string) []Entry {
	if n == nil || n.Kind == authored.Null {
		return nil
	}
	if !List.Check(r, n, path) {
		return nil
	}
	all := make([]Entry, 0, len(n.Items))
	for i, item := range n.Items {
		all = append(all, entry(authored.View(item, r, authored.At(path, i), Shape), r))
	}
	return all
}

// Entries are the attachments of what has a field for them that is a [List].
func Entries(objects []*authored.Object, r *authored.Report) []Entry {
	all := make([]Entry, 0, len(objects))
	for _, o := range objects {
		all = append(all, entry(o, r))
	}
	return all
}

// entry reads one entry, which was held against its shape.
func entry(o *authored.Object, r *authored.Report) Entry {
	n := o.Node()
	e := Entry{at: n, Line: n.Line, Column: n.Column, Path: o.Path("")}
	text := func(name string) *template.Template {
		if o.Text(name) == "" {
			return nil
		}
		return template.ParseNode(o.Field(name), r, o.Path(name))
	}
	e.typ, e.name, e.mime = text(fieldType), text("name"), text("mime")
	e.Type = Type(o.Word(fieldType))
	add := func(name string, n *authored.Node, path string, url bool) {
		if t := template.ParseNode(n, r, path); t != nil {
			e.sources = append(e.sources, source{url: url, text: t, line: n.Line, column: n.Column, field: name})
		}
	}
	for _, name := range []string{fieldURL, fieldPath} {
		if f := o.Field(name); f != nil {
			add(name, f, o.Path(name), name == fieldURL)
		}
	}
	for _, name := range []string{fieldURLs, fieldPaths} {
		for i, f := range o.List(name) {
			e.plural = true
			if f != nil {
				add(name, f, authored.At(o.Path(name), i), name == fieldURLs)
			}
		}
	}
	if f := o.Field("meta"); f != nil {
		e.meta = template.ParseTree(f, r, o.Path("meta"))
	}
	e.optional = o.Bool("optional")
	e.direct, e.fetch, e.maxPages = o.Word(fieldDeliver) == deliverURL, o.Bool(fieldFetch), int(o.Int(fieldMaxPages))
	e.project, e.said = OfProject(o)
	for _, name := range []string{fieldBase, fieldDeliver, fieldFetch, fieldMaxPages} {
		if o.Field(name) != nil {
			e.given = append(e.given, name)
		}
	}
	return e
}
