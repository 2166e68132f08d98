package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// said is the place of a value in a request: a parameter or a member of the body.
type said struct{ in, name string }

// reference is what the test reads of the server's reference.
type reference struct {
	Paths      map[string]map[string]operation
	Components struct {
		Schemas map[string]struct {
			Properties map[string]struct{ Type any }
			Required   []string
		}
	}
}

type operation struct {
	Responses   map[string]struct{ Description string }
	Parameters  []struct{ Name, In string }
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	}
}

// No refusal repeats a caller's value whole, wherever in the request it stands: a client, a
// log and a person get the beginning of it. The reference has every refusal.
func TestRefusalsDoNotRepeatValuesWhole(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	id := s.session()
	deliverable := filepath.Join(p.project, "PKG-01_Site", "1_Working", "DEL-01-01_Plan")
	must(t, os.MkdirAll(deliverable, 0o755))
	must(t, os.WriteFile(filepath.Join(deliverable, "_STATUS.md"), []byte("**Current State:** OPEN\n"), 0o644))
	token, err := os.ReadFile(filepath.Join(p.state(), "operator.token"))
	must(t, err)
	good := map[string]string{
		"projectRoot": p.project, "sessionId": id, "id": id, "deliverablePath": deliverable, "targetState": "IN_PROGRESS", "actor": "HUMAN",
		"path": "a.md", "query": "x", "mode": "HYBRID", "verdict": "deny", "decisionId": "dec_1", "key": "PKG-01::DEL-01-01",
		"turn": "turn_1", "turnId": "turn_1", "sha256": strings.Repeat("a", 64), "prefix": "sess", "message": "hello", "profile": "heap", "name": "TASK",
	}
	_, text := s.do("GET", "/openapi.json", "")
	var r reference
	must(t, json.Unmarshal([]byte(text), &r))
	for _, remove := range []bool{false, true} { // what is removed has no refusals any more
		for _, path := range slices.Sorted(maps.Keys(r.Paths)) {
			for _, method := range slices.Sorted(maps.Keys(r.Paths[path])) {
				if op := r.Paths[path][method]; (method == "delete") == remove {
					s.repeatsNothing(&r, op, method, path, good, string(bytes.TrimSpace(token)))
				}
			}
		}
	}
}

// repeatsNothing sends the requests of one endpoint, each with one value that is long.
func (s *server) repeatsNothing(r *reference, op operation, method, path string, good map[string]string, token string) {
	s.t.Helper()
	var places []said
	for _, q := range op.Parameters {
		places = append(places, said{q.In, q.Name})
	}
	schema := r.Components.Schemas[strings.TrimPrefix(op.RequestBody.Content["application/json"].Schema.Ref, "#/components/schemas/")]
	body := map[string]any{}
	for name, member := range schema.Properties {
		kind := fmt.Sprint(member.Type)
		switch needed := slices.Contains(schema.Required, name); {
		case kind == "string":
			places = append(places, said{"body", name})
			if needed {
				body[name] = good[name]
			}
		case needed && strings.Contains(kind, "array"):
			body[name] = []string{}
		case needed && strings.Contains(kind, "object"):
			body[name] = map[string]any{}
		}
	}
	for _, long := range append(places, said{}) {
		s.repeats(op, strings.ToUpper(method), path, places, body, long, good, token)
	}
}

// repeats sends a request in which one value is long. What works may say it back.
func (s *server) repeats(op operation, method, path string, places []said, body map[string]any, long said, good map[string]string, token string) {
	s.t.Helper()
	value := strings.Repeat("0a", 1500)
	if long.name == "projectRoot" || long.name == "deliverablePath" || long.name == "executionRoot" || long.name == "decompositionPath" {
		value = "/" + value
	}
	q, body := url.Values{}, maps.Clone(body)
	header := []string{"Authorization", "Bearer " + token}
	for _, at := range places {
		v := good[at.name]
		if at == long {
			v = value
		}
		switch {
		case at.in == "path":
			path = strings.ReplaceAll(path, "{"+at.name+"}", v)
		case at != long && (v == "" || at.in != "query"):
		case at.in == "query":
			q.Set(at.name, v)
		case at.in == "header":
			header = append(header, at.name, v)
		default:
			body[at.name] = v
		}
	}
	sent := ""
	if method != "GET" && method != "DELETE" {
		sent = jsonOf(body)
	}
	target := path + "?" + q.Encode()
	if (long == said{}) {
		target += "&%zz"
	}
	res := s.open(s.t.Context(), method, target, sent, header...)
	defer res.Body.Close()
	if res.StatusCode < 400 {
		return // a stream, for one
	}
	var answer bytes.Buffer
	_, err := answer.ReadFrom(res.Body)
	must(s.t, err)
	var e struct{ Error struct{ Type string } }
	described := op.Responses[strconv.Itoa(res.StatusCode)].Description
	if err := json.Unmarshal(answer.Bytes(), &e); err != nil || !slices.Contains(strings.Split(described, ", "), e.Error.Type) {
		s.t.Errorf("%s %s with a long %s (%s) is %d, which the reference does not say (%s): %s", method, clip(path), long.name, long.in, res.StatusCode, described, clip(answer.String()))
	}
	if said := answer.String(); strings.Contains(said, "/openapi.json") && !strings.Contains(said, "no such endpoint") {
		s.t.Errorf("%s %s with a long %s: the hint is about endpoints: %s", method, clip(path), long.name, clip(said))
	}
	if strings.Contains(answer.String(), value[1:][:201]) || strings.Contains(answer.String(), value[:201]) {
		s.t.Errorf("%s %s with a long %s (%s) is %d: %d bytes, %s", method, clip(path), long.name, long.in, res.StatusCode, answer.Len(), clip(answer.String()))
	}
}
