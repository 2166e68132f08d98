package declared

import (
	"strings"

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

// maxPages caps the pages that an author may ask for: more than any document has.
const maxPages = 100_000

// The fields of an entry.
const (
	fieldURL      = "url"
	fieldPath     = "path"
	fieldURLs     = "urls"
	fieldPaths    = "paths"
	fieldDeliver  = "deliver"
	fieldFetch    = "fetch"
	fieldMaxPages = "max_pages"
)

// accepts says which of the fields that not all have a type takes, its sources
// first.
var accepts = map[Type][]string{
	TypeImage: {fieldURL, fieldPath, fieldURLs, fieldPaths, fieldDeliver},
	TypePDF:   {fieldURL, fieldPath, fieldURLs, fieldPaths, fieldMaxPages},
	TypeAudio: {fieldURL, fieldPath, fieldURLs, fieldPaths},
	TypeVideo: {fieldURL, fieldPath, fieldURLs, fieldPaths},
	TypeFile:  {fieldPath, fieldPaths},
	TypeURL:   {fieldURL, fieldURLs, fieldFetch},
}

// Decode reads the attachments list n, as part of a file, and notes on r what is
// wrong with it. A nil n is an empty list.
func Decode(n *authored.Node, r *authored.Report, path string) []Entry {
	switch {
	case n == nil || n.Kind == authored.Null:
		return nil
	case n.Kind != authored.List:
		r.Add(n, path, "begin each attachment with a dash", "attachments must be a list, and this is %s", n.Kind)
		return nil
	}
	all := make([]Entry, 0, len(n.Items))
	for i, item := range n.Items {
		d := &decoder{report: r, path: authored.At(path, i)}
		all = append(all, d.entry(item))
	}
	return all
}

// decoder reads one entry.
type decoder struct {
	report *authored.Report
	path   string
	o      *authored.Object
}

func (d *decoder) entry(n *authored.Node) Entry {
	o := authored.NewObject(n, d.report, d.path, "an attachment")
	d.o = o
	e := Entry{Path: d.path}
	if n != nil {
		e.at, e.Line, e.Column = n, n.Line, n.Column
	}
	if typ := o.Required("type"); typ != "" {
		e.typ = d.template("type", o.Field("type"), typ)
	}
	for _, name := range []string{fieldURL, fieldPath} {
		if f := o.Field(name); f != nil {
			d.single(&e, name, f, o.Text(name))
		}
	}
	for _, name := range []string{fieldURLs, fieldPaths} {
		if f := o.Field(name); f != nil {
			d.list(&e, name, f)
		}
	}
	e.name = d.template("name", o.Field("name"), o.Text("name"))
	e.mime = d.template("mime", o.Field("mime"), o.Text("mime"))
	if f := o.Field("meta"); f != nil {
		if f.Kind != authored.Map {
			o.FailAt("meta", "", "it must be a mapping, and this is %s", f.Kind)
		} else {
			e.meta = template.ParseTree(f, d.report, o.Path("meta"))
		}
	}
	e.optional = o.Bool("optional")
	if o.Field(fieldDeliver) != nil {
		e.given = append(e.given, fieldDeliver)
		e.direct = o.OneOf(fieldDeliver, "content", "url") == "url"
	}
	if o.Field(fieldFetch) != nil {
		e.given = append(e.given, fieldFetch)
		e.fetch = o.Bool(fieldFetch)
	}
	if o.Field(fieldMaxPages) != nil {
		e.given = append(e.given, fieldMaxPages)
		e.maxPages = int(o.Int(fieldMaxPages, 1, maxPages))
	}
	o.Done()
	d.settle(&e)
	return e
}

// settle checks what depends on the type, where it is known.
func (d *decoder) settle(e *Entry) {
	if d.o.Node() == nil {
		return
	}
	if e.typ != nil && e.typ.Plain() {
		word := strings.ToLower(strings.TrimSpace(e.typ.Text()))
		t, ok := parseType(word)
		if !ok {
			d.o.FailAt("type", didYouMean(word), "%q is no type of attachments; they are %s", word, typeList())
			return
		}
		e.Type = t
		for _, p := range e.misplaced(t) {
			d.o.FailAt(p.field, p.hint, "%s", p.message)
		}
	}
	sources := e.fields()
	switch {
	case len(sources) > 1:
		d.o.FailAt(sources[1], "keep one of them", "an attachment has exactly one of %s, and this has %s", strings.Join(sourcesOf(e.Type), ", "), strings.Join(sources, " and "))
	case len(sources) == 0 && !d.gave():
		d.o.Fail("", "an attachment needs exactly one of %s", strings.Join(sourcesOf(e.Type), ", "))
	}
}

// gave reports whether a source was written, be it a wrong one, which was told.
func (d *decoder) gave() bool {
	for _, name := range sourcesOf("") {
		if d.o.Field(name) != nil {
			return true
		}
	}
	return false
}

func (d *decoder) single(e *Entry, name string, n *authored.Node, text string) {
	if strings.TrimSpace(text) == "" {
		if n.Kind == authored.Text {
			d.o.FailAt(name, "", "it is empty")
		}
		return
	}
	if t := d.template(name, n, text); t != nil {
		e.sources = append(e.sources, source{url: name == fieldURL, text: t, line: n.Line, column: n.Column, field: name})
	}
}

func (d *decoder) list(e *Entry, name string, n *authored.Node) {
	texts := d.o.List(name)
	if n.Kind == authored.List && len(texts) == 0 {
		d.o.FailAt(name, "", "the list is empty")
	}
	e.plural = true
	for i, item := range texts {
		path := authored.At(d.o.Path(name), i)
		switch {
		case item.Kind == authored.List, item.Kind == authored.Map, item.Kind == authored.Null:
			d.report.Add(item, path, "", "it must be text, and this is %s", item.Kind)
			continue
		case strings.TrimSpace(item.Text) == "":
			d.report.Add(item, path, "", "it is empty")
			continue
		}
		if t := template.ParseNode(item, d.report, path); t != nil {
			e.sources = append(e.sources, source{url: name == fieldURLs, text: t, line: item.Line, column: item.Column, field: name})
		}
	}
}

// template reads a field's text, nil where it is left out or wrong.
func (d *decoder) template(name string, n *authored.Node, text string) *template.Template {
	if n == nil || text == "" {
		return nil
	}
	return template.ParseNode(n, d.report, d.o.Path(name))
}
