package declared

import (
	"slices"

	"belay/internal/authored"
)

// The fields of an entry.
const (
	fieldType     = "type"
	fieldURL      = "url"
	fieldPath     = "path"
	fieldURLs     = "urls"
	fieldPaths    = "paths"
	fieldDeliver  = "deliver"
	fieldFetch    = "fetch"
	fieldMaxPages = "max_pages"
	fieldBase     = "base"
)

// baseProject is the value of base with which paths begin at the project.
const baseProject = "project"

// BaseField is the field that says where paths begin: of an entry, and of a whole
// workflow for those of its entries that do not say it.
func BaseField(doc string, types ...string) authored.Key {
	return authored.Key{Name: fieldBase, For: types, Value: authored.Choice{Words: []string{"workflow", baseProject}}, Doc: doc}
}

// OfProject reports whether an object has a base, and whether that is the project.
func OfProject(o *authored.Object) (project, said bool) {
	return o.Word(fieldBase) == baseProject, o.Field(fieldBase) != nil
}

// deliverURL is the value of deliver that hands over an address.
const deliverURL = "url"

// maxPages caps the pages that an author may ask for: more than any document has.
const maxPages = 100_000

// accepts says which of the fields that not all have a type takes, its sources
// first.
var accepts = map[Type][]string{
	TypeImage: {fieldURL, fieldPath, fieldURLs, fieldPaths, fieldBase, fieldDeliver},
	TypePDF:   {fieldURL, fieldPath, fieldURLs, fieldPaths, fieldBase, fieldMaxPages},
	TypeAudio: {fieldURL, fieldPath, fieldURLs, fieldPaths, fieldBase},
	TypeVideo: {fieldURL, fieldPath, fieldURLs, fieldPaths, fieldBase},
	TypeFile:  {fieldPath, fieldPaths, fieldBase},
	TypeURL:   {fieldURL, fieldURLs, fieldFetch},
}

// typesWith are the types that take a field.
func typesWith(field string) []string {
	var names []string
	for _, t := range Types() {
		if slices.Contains(accepts[t], field) {
			names = append(names, string(t))
		}
	}
	return names
}

// List is the value of a field that holds attachments, for the shapes of what may
// have some.
var List authored.Value = authored.ListOf{Each: Shape}

// Shape is the table of an entry.
var Shape = &authored.Shape{
	Name: "attachment",
	What: "an attachment",
	Doc:  "Files, or addresses, that the model is shown. Exactly one of url, path, urls and paths says where they are; all texts may be templates.",
	By:   fieldType,
	Keys: []authored.Key{
		{Name: fieldType, Required: true, Value: typeWord(),
			Doc: "What it is: image, pdf (or document), audio, video, file (of any kind; its bytes say which) or url (the model gets the address). May be a template."},
		{Name: fieldURL, For: typesWith(fieldURL), Value: authored.Words{},
			Doc: "An https:// or http:// address, which is fetched before the task begins."},
		{Name: fieldPath, For: typesWith(fieldPath), Value: authored.Words{},
			Doc: "A file, below the folder of this file, or below the project with base: project."},
		{Name: fieldURLs, For: typesWith(fieldURLs), Value: authored.ListOf{Each: authored.Words{}, Least: 1},
			Doc: "Several addresses. Name, mime and meta go for each."},
		{Name: fieldPaths, For: typesWith(fieldPaths), Value: authored.ListOf{Each: authored.Words{}, Least: 1},
			Doc: "Several files, and patterns such as ./assets/**/*.png, below the folder of this file, or below the project with base: project. The order is kept; what one pattern matches is sorted."},
		BaseField("Where path and paths begin: workflow, the folder of this file, or project. Default: that of the workflow.", typesWith(fieldBase)...),
		{Name: "name", Value: authored.Words{Blank: true}, Doc: "The name that the model sees. Default: the name of the file."},
		{Name: "mime", Value: authored.Words{Blank: true}, Doc: "What its type should be: a hint. The bytes decide, and where they differ the report says so."},
		{Name: "meta", Value: authored.Free{Kinds: []authored.Kind{authored.Map}}, Doc: "Values of your own that go with it into the report. Of a resource named twice the later ones win, key by key."},
		{Name: "optional", Value: authored.Truth{}, Doc: "Whether the task may begin without it: where a pattern matches nothing, a download fails, or the type is not taken. Default: false."},
		{Name: fieldDeliver, For: typesWith(fieldDeliver), Value: authored.Choice{Words: []string{"content", deliverURL}},
			Doc: "content fetches an image and gives its bytes to the model; url checks the address and passes it on. Default: content."},
		{Name: fieldFetch, For: typesWith(fieldFetch), Value: authored.Truth{}, Doc: "Whether the model is given the text that is at the address, and not only the address. Default: false."},
		{Name: fieldMaxPages, For: typesWith(fieldMaxPages), Value: authored.Whole{Least: 1, Most: maxPages}, Doc: "How many pages the model is given, from the first. Default: all."},
	},
	Constraints: []authored.Constraint{authored.ExactlyOne{Names: []string{fieldURL, fieldPath, fieldURLs, fieldPaths}}},
	Misplaced: func(kind, name string) (message, hint string) {
		if !slices.Contains(accepts[TypeImage], name) && !slices.Contains(accepts[TypePDF], name) && !slices.Contains(accepts[TypeURL], name) {
			return "", ""
		}
		m := misplaced(Type(kind), name)
		return m.message, m.hint
	},
}

func typeWord() authored.Choice {
	v := authored.Choice{Late: true, Alias: map[string]string{alias: string(TypePDF)}}
	for _, t := range Types() {
		v.Words = append(v.Words, string(t))
	}
	return v
}
