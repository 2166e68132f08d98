package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Providers refuse a request for one schema that they do not take. A tool with such a one is
// offered in a form that they take, and the server gets its own.
func TestSchemasThatProvidersRefuse(t *testing.T) {
	t.Parallel()
	const long = "settings__approved__or__denied__countries__or__regions__approved__list"
	served := `{"type":"object","not":{"required":["x"]},"enum":[{}],"anyOf":[{}],
		"properties":{"$filter":{"type":"string","maximum":80},"ids[]":{"type":"array"},"StartTime<":{"type":["array","null"]},"plain.key-1":{"type":"object","properties":{"$in":{"type":"array"}},"default":{"type":"array"}},"` + long + `":{}},
		"required":["$filter","plain.key-1"]}`
	var got json.RawMessage
	s := sdk.NewServer(&sdk.Implementation{Name: "graph", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "list", InputSchema: json.RawMessage(served)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		got = slices.Clone(r.Params.Arguments)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
	})
	s.AddTool(&sdk.Tool{Name: "none", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	srv := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(srv.Close)
	all, _ := open(t, Server{Name: "graph", URL: srv.URL})
	set, problems := ready(t, all)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	filter, ids, start, short := keyFor("$filter"), keyFor("ids[]"), keyFor("StartTime<"), keyFor(long)
	for _, name := range []string{filter, ids, start, short} {
		if !takenKey.MatchString(name) {
			t.Errorf("a parameter is %q", name)
		}
	}
	want := map[string]string{
		"list": `{"properties":{"` + start + `":{"items":{},"type":["array","null"]},"` + filter + `":{"maximum":80,"type":"string"},"` + ids + `":{"items":{},"type":"array"},` +
			`"plain.key-1":{"default":{"type":"array"},"properties":{"$in":{"items":{},"type":"array"}},"type":"object"},"` +
			short + `":{}},"required":["` + filter + `","plain.key-1"],"type":"object"}`,
		"none": `{"properties":{},"type":"object"}`,
	}
	for _, spec := range set.Specs() {
		_, name, _ := strings.Cut(spec.Name, "graph_")
		if diff := cmp.Diff(want[name], string(spec.Schema)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spec.Name, diff)
		}
	}
	// A workflow may use the server's own names.
	for _, name := range []string{filter, "$filter"} {
		if r, err := run(t, set, "mcp.graph.list", `{"`+name+`":"a eq 1","plain.key-1":{"$in":[1]}}`); err != nil || r.Text != "done" {
			t.Fatalf("%+v, %v", r, err)
		}
		if string(got) != `{"$filter":"a eq 1","plain.key-1":{"$in":[1]}}` {
			t.Errorf("the server got %s", got)
		}
	}
}

// A choice at the top goes, and the parameters that it had stay. Arrays get items wherever
// they are, also below names that are keywords elsewhere.
func TestAcceptableSchemas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ served, want string }{
		"a choice": {`{"anyOf":[{"properties":{"path":{"type":"string"}},"required":["path"]},{"properties":{"url":{"type":"string"}}}],"required":["kind","path"],"additionalProperties":false}`,
			`{"properties":{"path":{"type":"string"},"url":{"type":"string"}},"required":["path"],"type":"object"}`},
		"all of": {`{"properties":{"a":{"type":"number"}},"allOf":[{"properties":{"a":{"type":"string"},"b":{}}},true],"unevaluatedProperties":false}`,
			`{"properties":{"a":{"type":"number"},"b":{}},"type":"object"}`},
		"if and then": {`{"properties":{"a":{}},"if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":{}}}}`,
			`{"properties":{"a":{},"b":{}},"type":"object"}`},
		"not":           {`{"not":{"properties":{"x":{}}}}`, `{"properties":{},"type":"object"}`},
		"names":         {`{"properties":{"examples":{"type":"array"},"default":{"type":"array","default":{"type":"array"}}}}`, `{"properties":{"default":{"default":{"type":"array"},"items":{},"type":"array"},"examples":{"items":{},"type":"array"}},"type":"object"}`},
		"tuples":        {`{"properties":{"a":{"type":"array","items":[]}}}`, `{"properties":{"a":{"items":{},"type":"array"}},"type":"object"}`},
		"without a sin": {`{"type":"object","properties":{"a":{}},"required":["a","b"],"additionalProperties":false}`, `{"additionalProperties":false,"properties":{"a":{}},"required":["a","b"],"type":"object"}`},
	} {
		got, keys, err := acceptable([]byte(c.served))
		if err != nil || len(keys) > 0 || string(got) != c.want {
			t.Errorf("%s: %s, %v, %v; want %s", name, got, keys, err, c.want)
		}
	}
}
