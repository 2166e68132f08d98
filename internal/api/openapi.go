package api

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/plainjson"
	"belay/internal/workflow/run"
)

// everywhere are the errors that any route may answer before its own work.
func everywhere(rt *route) []fault.Type {
	list := []fault.Type{fault.Forbidden, fault.SDKFailure}
	if namesProject(rt.body) {
		list = append(list, fault.NotFound) // of the project's id
	}
	if rt.access != public {
		list = append(list, fault.Unauthorized)
	}
	if rt.body != nil {
		list = append(list, fault.InvalidRequest, fault.RequestTooLarge)
	}
	if slices.ContainsFunc(rt.params, func(p param) bool { return p.in == "query" }) {
		list = append(list, fault.InvalidRequest) // see query
	}
	return list
}

// failures returns a route's error types by status.
func failures(rt *route) map[int][]fault.Type {
	by := map[int][]fault.Type{}
	for _, t := range errorsOf(rt.errors, everywhere(rt)) {
		if !slices.Contains(by[t.Status()], t) {
			by[t.Status()] = append(by[t.Status()], t)
		}
	}
	if rt.body != nil {
		by[http.StatusRequestTimeout] = []fault.Type{fault.InvalidRequest}       // see tooSlow
		by[http.StatusUnsupportedMediaType] = []fault.Type{fault.InvalidRequest} // see notEncoded
	}
	if rt.ranged {
		by[http.StatusRequestedRangeNotSatisfiable] = []fault.Type{fault.InvalidRequest} // see rangeOf
	}
	return by
}

// openAPI returns the OpenAPI 3.1 document of the table.
func openAPI(table []route, version string) []byte {
	set := newSchemas()
	paths := map[string]map[string]any{}
	for i := range table {
		rt := &table[i]
		if paths[rt.path] == nil {
			paths[rt.path] = map[string]any{}
		}
		paths[rt.path][strings.ToLower(rt.method)] = operation(rt, set)
	}
	events := map[string]any{}
	for _, spec := range slices.Concat(event.Types(), projectEvents(), feedEvents()) {
		events[string(spec.Type)] = map[string]any{"description": spec.When, "data": set.of(reflect.TypeOf(spec.Sample))}
	}
	for _, spec := range run.Events() {
		events[string(spec.Type)] = map[string]any{"description": spec.When,
			"data": map[string]any{"allOf": []any{set.of(reflect.TypeFor[stamp]()), set.of(reflect.TypeOf(spec.Sample))}}}
	}
	doc := map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "belay", "version": cmp.Or(version, "dev"),
			"description": "An agent harness for working on files. Every error of the server has the shape {\"error\":{type,message,details?}}."},
		"paths": paths,
		"components": map[string]any{
			"schemas":         set.components,
			"securitySchemes": map[string]any{"bearer": map[string]any{"type": "http", "scheme": "bearer"}},
		},
		// What the data lines of the event streams hold, by event name.
		"x-events": events,
	}
	text, err := plainjson.Marshal(doc)
	if err != nil {
		panic("api: the OpenAPI document does not encode: " + err.Error()) // only types of this program are in it
	}
	return append(text, '\n')
}

func operation(rt *route, set *schemas) map[string]any {
	op := map[string]any{"operationId": rt.name, "summary": rt.summary, "responses": responses(rt, set)}
	if rt.access == public {
		op["security"] = []any{}
	} else {
		// The empty alternative: a server on loopback asks nobody for a token.
		op["security"] = []any{map[string]any{"bearer": []string{}}, map[string]any{}}
	}
	if rt.access == operator {
		op["security"] = []any{map[string]any{"bearer": []string{}}}
	}
	if len(rt.params) > 0 {
		var list []any
		for _, p := range rt.params {
			schema := map[string]any{"type": "string"}
			if p.integer {
				schema = map[string]any{"type": "integer", "minimum": 0}
			}
			list = append(list, map[string]any{"name": p.name, "in": p.in, "required": p.required, "description": p.doc, "schema": schema})
		}
		op["parameters"] = list
	}
	if rt.body != nil {
		media := "application/json"
		if _, isForm := rt.body.(uploadForm); isForm {
			media = "multipart/form-data"
		}
		op["requestBody"] = map[string]any{"required": true, "content": map[string]any{
			media: map[string]any{"schema": set.of(reflect.TypeOf(rt.body))}}}
		if namesProject(rt.body) {
			orByID(set.components[componentName(reflect.TypeOf(rt.body))].(map[string]any))
		}
	}
	return op
}

func responses(rt *route, set *schemas) map[string]any {
	media, schema := cmp.Or(rt.media, "application/json"), map[string]any{"type": "string"}
	if rt.answer != nil {
		schema = set.of(reflect.TypeOf(rt.answer))
	}
	if rt.streams() {
		schema["description"] = "Server-Sent Events; x-events says what each holds."
	}
	all := map[string]any{"200": map[string]any{
		"description": rt.summary, "content": map[string]any{media: map[string]any{"schema": schema}}}}
	if rt.tagged {
		all["304"] = map[string]any{"description": "The client has it: If-None-Match names its entity tag."}
	}
	if rt.ranged {
		all["206"] = map[string]any{"description": "The part that Range names.", "content": map[string]any{media: map[string]any{"schema": schema}}}
	}
	for status, types := range failures(rt) {
		var names []string
		for _, t := range types {
			names = append(names, string(t))
		}
		all[strconv.Itoa(status)] = map[string]any{
			"description": strings.Join(names, ", "),
			"content":     map[string]any{"application/json": map[string]any{"schema": set.of(reflect.TypeFor[fault.Body]())}},
		}
	}
	return all
}
