package api

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"belay/internal/fault"
)

// A project is named by its folder or by its id: "project" in place of "projectRoot", in
// queries and in bodies alike. The id is replaced by the folder before anybody else looks.
const (
	byRoot = "projectRoot"
	byID   = "project"
)

// projectsByID adds the id to the parameters of each route that names a project.
func projectsByID(table []route) []route {
	for i := range table {
		at := slices.IndexFunc(table[i].params, func(p param) bool { return p.in == "query" && p.name == byRoot })
		if at < 0 {
			continue
		}
		params := slices.Clone(table[i].params)
		id := param{in: "query", name: byID, doc: "or the project's id"}
		if params[at].required {
			params[at].required, id.doc = false, "or the project's id; one of both is required"
		}
		table[i].params = slices.Insert(params, at+1, id)
		if !slices.Contains(table[i].errors, fault.NotFound) {
			table[i].errors = append(slices.Clip(table[i].errors), fault.NotFound)
		}
	}
	return table
}

// orByID adds the id to the schema of a body that names a project.
func orByID(schema map[string]any) {
	properties := schema["properties"].(map[string]any)
	if properties[byID] != nil {
		return
	}
	properties[byID] = map[string]any{"type": "string", "description": "the project's id, in place of projectRoot"}
	if required, ok := schema["required"].([]string); ok {
		schema["required"] = slices.DeleteFunc(slices.Clone(required), func(name string) bool { return name == byRoot })
	}
}

// projectByID replaces a project's id in the query of a request.
func (h *Handler) projectByID(r *http.Request, rt *route) (*http.Request, error) {
	if !slices.ContainsFunc(rt.params, func(p param) bool { return p.in == "query" && p.name == byRoot }) {
		return r, nil
	}
	q, err := query(r)
	if err != nil || q[byID] == "" {
		return r, nil //nolint:nilerr // the route reports a malformed query
	}
	if q[byRoot] != "" {
		return nil, bothProjects()
	}
	root, err := h.rootOf(trim(q[byID]))
	if err != nil {
		return nil, err
	}
	values := r.URL.Query()
	values.Del(byID)
	values.Set(byRoot, root)
	changed := r.Clone(r.Context())
	changed.URL.RawQuery = values.Encode()
	return changed, nil
}

func bothProjects() error {
	return fault.New(fault.InvalidRequest, "project and projectRoot are both given").With("field", byID).
		WithHint("give one of them: project is the id, projectRoot the folder")
}

// rootOf is the folder of a project's id.
func (h *Handler) rootOf(id string) (string, error) {
	if h.o.Overview == nil {
		return "", notServed("knows no ids of projects").With("project", fault.Clip(id)).
			WithHint("name the folder with projectRoot")
	}
	root, err := h.o.Overview.Root(id)
	if unknown, ok := errors.AsType[*fault.Error](err); ok && unknown.Type == fault.NotFound {
		err = unknown.WithHint("GET /api/projects lists the projects; POST /api/projects adds a folder")
	}
	return root, err
}

// projectInBody replaces a project's id in a body.
func (h *Handler) projectInBody(w *response, o *object) error {
	v, has := o.members[byID]
	if !has || w.route == nil || !namesProject(w.route.body) {
		return nil
	}
	if _, both := o.members[byRoot]; both {
		return bothProjects()
	}
	if v.Kind() != '"' {
		return fault.Invalid([]fault.Problem{{Field: byID, Message: "must be a string"}})
	}
	root, err := h.rootOf(trim(textOf(v)))
	if err != nil {
		return err
	}
	quoted, err := jsontext.AppendQuote(nil, root)
	if err != nil {
		return err
	}
	delete(o.members, byID)
	o.members[byRoot] = quoted
	o.names[slices.Index(o.names, byID)] = byRoot
	return nil
}

// namesProject reports whether a body names a project by its folder.
func namesProject(body any) bool {
	if body == nil || reflect.TypeOf(body).Kind() != reflect.Struct {
		return false
	}
	for field := range reflect.TypeOf(body).Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name == byRoot {
			return true
		}
	}
	return false
}
