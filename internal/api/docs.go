package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // for docs.css
	"encoding/base64"
	"html/template"
	"maps"
	"reflect"
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
)

//go:embed docs.css
var docsStyle string

//go:embed docs.html
var docsTemplate string

// docsPage is /docs: the reference as one page without any script.
type docsPage struct {
	html   []byte
	policy string
}

// docsRoute is a route as the page shows it.
type docsRoute struct {
	Method, Path, Summary, Access string
	Params                        []docsParam
	Body, Answer                  string
	Errors                        []fault.Type
}

type docsParam struct {
	In, Name, Doc string
	Required      bool
}

func newDocsPage(table []route, version string) docsPage {
	var list []docsRoute
	for i := range table {
		list = append(list, describe(&table[i]))
	}
	digest := sha256.Sum256([]byte(docsStyle))
	var b bytes.Buffer
	err := template.Must(template.New("docs").Parse(docsTemplate)).Execute(&b, map[string]any{
		"Version": cmp.Or(version, "dev"),
		"Style":   template.CSS(docsStyle),
		"Routes":  list,
		"Events":  event.Types(),
		"Faults":  fault.Types(),
	})
	if err != nil {
		panic("api: the reference page does not render: " + err.Error()) // only this program's own data is in it
	}
	return docsPage{html: b.Bytes(), policy: "default-src 'none'; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(digest[:]) + "'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"}
}

func describe(rt *route) docsRoute {
	d := docsRoute{Method: rt.method, Path: rt.path, Summary: rt.summary,
		Access: map[access]string{member: "access token, where one is configured", public: "everyone", operator: "operator"}[rt.access],
		Body:   shape(rt.body), Answer: cmp.Or(rt.media, shape(rt.answer))}
	for _, p := range rt.params {
		d.Params = append(d.Params, docsParam{p.in, p.name, p.doc, p.required})
	}
	for _, t := range errorsOf(rt.errors, everywhere(rt)) {
		if !slices.Contains(d.Errors, t) {
			d.Errors = append(d.Errors, t)
		}
	}
	return d
}

// shape sketches the members of a body: {"projectRoot", "persona?"}.
func shape(v any) string {
	if v == nil {
		return ""
	}
	t := reflect.TypeOf(v)
	if t.Kind() != reflect.Struct {
		return "{…}"
	}
	properties, required := map[string]any{}, []string{}
	newSchemas().properties(t, properties, &required)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(required, name) {
			name += "?"
		}
		names = append(names, name)
	}
	return "{" + strings.Join(names, ", ") + "}"
}
