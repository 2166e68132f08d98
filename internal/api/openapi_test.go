package api

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"belay/internal/event"
	"belay/internal/workflow/run"
)

const documentURL = "https://belay.invalid/openapi.json"

// compiler returns the document as a schema resource. Its parts are JSON Schema
// 2020-12, which is what OpenAPI 3.1 says they are.
func compiler(t *testing.T) (*jsonschema.Compiler, map[string]any) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPI(routes(), "1")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(documentURL, doc); err != nil {
		t.Fatal(err)
	}
	return c, doc.(map[string]any)
}

// schema compiles the part of the document at a JSON pointer.
func schema(t *testing.T, c *jsonschema.Compiler, path ...string) *jsonschema.Schema {
	t.Helper()
	pointer := ""
	for _, p := range path {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p)
	}
	s, err := c.Compile(documentURL + "#" + pointer)
	if err != nil {
		t.Fatalf("schema at %s: %v", pointer, err)
	}
	return s
}

func TestOpenAPIDescribesEveryRoute(t *testing.T) {
	t.Parallel()
	c, doc := compiler(t)
	paths := doc["paths"].(map[string]any)
	names := map[string]bool{}
	table := routes()
	for i := range table {
		rt := &table[i]
		op, ok := paths[rt.path].(map[string]any)[strings.ToLower(rt.method)].(map[string]any)
		if !ok {
			t.Errorf("%s %s is missing", rt.method, rt.path)
			continue
		}
		if names[rt.name] || op["operationId"] != rt.name || rt.summary == "" {
			t.Errorf("%s %s: operation id %v, summary %q", rt.method, rt.path, op["operationId"], rt.summary)
		}
		names[rt.name] = true
		// Every variable of the path is a parameter, and every schema compiles.
		for _, segment := range strings.Split(rt.path, "/") {
			if name, is := strings.CutPrefix(segment, "{"); is {
				if want := strings.TrimSuffix(name, "}"); !hasParam(rt, want) {
					t.Errorf("%s: no parameter %s", rt.path, want)
				}
			}
		}
		base := []string{"paths", rt.path, strings.ToLower(rt.method)}
		for status, response := range op["responses"].(map[string]any) {
			content, _ := response.(map[string]any)["content"].(map[string]any)
			for media := range content {
				schema(t, c, append(base, "responses", status, "content", media, "schema")...)
			}
		}
		if rt.body != nil {
			for media := range op["requestBody"].(map[string]any)["content"].(map[string]any) {
				schema(t, c, append(base, "requestBody", "content", media, "schema")...)
			}
		}
	}
	events := doc["x-events"].(map[string]any)
	for _, spec := range slices.Concat(event.Types(), projectEvents(), feedEvents(), run.Events()) {
		if events[string(spec.Type)] == nil {
			t.Errorf("the event %s is missing", spec.Type)
			continue
		}
		schema(t, c, "x-events", string(spec.Type), "data")
	}
}

func hasParam(rt *route, name string) bool {
	for _, p := range rt.params {
		if p.in == "path" && p.name == name {
			return true
		}
	}
	return false
}

// TestAnswersMatchTheirSchemas holds every answer of the transcripts against the
// document: its status must be described, and its body valid.
func TestAnswersMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	c, doc := compiler(t)
	table := routes()
	mux := newMux(nil, table)
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rt *route
		for _, f := range archive.Files {
			first, rest, _ := strings.Cut(string(f.Data), "\n")
			if f.Name == "request" {
				method, target, _ := strings.Cut(first, " ")
				r := httptest.NewRequest(method, strings.ReplaceAll(target, "%zz", ""), nil)
				rt = nil
				if served, _ := mux.Handler(r); clean(r.URL.EscapedPath()) {
					rt, _ = served.(endpoint).find(r)
				}
				if rt != nil && rt.method != method {
					rt = nil
				}
				continue
			}
			if f.Name != "answer" || rt == nil {
				continue
			}
			_, body, _ := strings.Cut(rest, "\n\n")
			check(t, c, doc, rt, filepath.Base(file), first, body)
			checked[rt.name] = true
		}
	}
	for i := range table {
		switch rt := &table[i]; rt.name {
		case "metrics", "openapi", "docs", "makeLink", "profile": // their answers change with every run
		case "streamProject", "streamAll": // have no end; see TestProjectEvents and TestAllEvents
		default:
			if !checked[rt.name] {
				t.Errorf("no transcript shows %s", rt.name)
			}
		}
	}
}

func check(t *testing.T, c *jsonschema.Compiler, doc map[string]any, rt *route, file, status, body string) {
	t.Helper()
	op := doc["paths"].(map[string]any)[rt.path].(map[string]any)[strings.ToLower(rt.method)].(map[string]any)
	response, described := op["responses"].(map[string]any)[status].(map[string]any)
	if !described {
		t.Errorf("%s: %s answers %s, which the document does not say", file, rt.name, status)
		return
	}
	content, has := response["content"].(map[string]any)
	if !has && body != "" {
		t.Errorf("%s: %s answers %s with a body, which the document does not say", file, rt.name, status)
	}
	switch _, isJSON := content["application/json"]; {
	case isJSON:
		valid(t, schema(t, c, "paths", rt.path, strings.ToLower(rt.method), "responses", status, "content", "application/json", "schema"), file, body)
	case rt.streams():
		name := ""
		for line := range strings.Lines(body) {
			line = strings.TrimSpace(line)
			if n, ok := strings.CutPrefix(line, "event: "); ok {
				name = n
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				valid(t, schema(t, c, "x-events", name, "data"), file, data)
			}
		}
	}
}

func valid(t *testing.T, s *jsonschema.Schema, file, body string) {
	t.Helper()
	if body == "" {
		return // the answer to a HEAD
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", file, err, body)
	}
}

func TestDocsPageListsEverything(t *testing.T) {
	t.Parallel()
	page := newDocsPage(routes(), "1")
	table := routes()
	for i := range table {
		if !bytes.Contains(page.html, []byte(table[i].path)) {
			t.Errorf("%s is missing", table[i].path)
		}
	}
	if bytes.Contains(page.html, []byte("<script")) || bytes.Contains(page.html, []byte("src=")) || bytes.Contains(page.html, []byte("ZgotmplZ")) {
		t.Error("the page has a script, loads something, or lost a value")
	}
	if out := os.Getenv("BELAY_SHOTS"); out != "" {
		if err := os.WriteFile(filepath.Join(out, "docs.html"), page.html, 0o644); err != nil {
			t.Fatal(err)
		}
		pretty := new(bytes.Buffer)
		_ = json.Indent(pretty, openAPI(routes(), "1"), "", " ")
		if err := os.WriteFile(filepath.Join(out, "openapi.json"), pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
