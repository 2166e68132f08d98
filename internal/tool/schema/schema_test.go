package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// input is a schema with everything in it.
const input = `{
  "type": "object", "title": "An edit", "description": "What to change.", "additionalProperties": false, "required": ["path", "edits"],
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z/]*$"},
    "edits": {"type": "array", "minItems": 1, "maxItems": 2, "items": {
      "type": "object", "required": ["old"], "additionalProperties": {"type": "integer"}, "properties": {"old": {"type": ["string", "null"]}}}},
    "times": {"type": "integer", "minimum": 1, "maximum": 2.5, "default": 1, "examples": [2]},
    "how": {"enum": ["fast", 1, null, {"a": [1.0]}]},
    "a/b~c": false, "any": true
  }
}`

func TestEveryFaultIsTold(t *testing.T) {
	t.Parallel()
	s, err := Compile([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string][]string{
		`{"path":"a/b","edits":[{"old":"x"},{"old":null,"n":2.0}],"times":2e0,"how":{"a":[1]},"any":[{}]}`: nil,
		`7`:  {` must be an object, not a number`},
		`{}`: {`/path is required`, `/edits is required`},
		`{"path":"","edits":[],"times":0,"how":"slow","a/b~c":1,"tims":3}`: {
			`/a~1b~0c must not be there`,
			`/edits must not be empty`,
			`/how must be one of "fast", 1, null, {"a":[1.0]}`,
			`/path must not be empty`,
			`/times must be at least 1`,
			`/tims is not known (did you mean times?)`,
		},
		`{"path":"A234567","edits":[{"old":1},{"n":"x"},{}],"times":1.5,"completely different":1}`: {
			`/completely different is not known`,
			`/edits has 3 items, and may have 2 at most`,
			`/edits/0/old must be a string or null, not a number`,
			`/edits/1/old is required`,
			`/edits/1/n must be an integer, not a string`,
			`/edits/2/old is required`,
			`/path has 7 characters, and may have 5 at most`,
			`/path must match ^[a-z/]*$`,
			`/times must be an integer, not a number`,
		},
		`{"path":"a","edits":[{"old":""}],"times":3}`: {`/times must be at most 5/2`},
	} {
		v, err := Parse([]byte(value))
		if err != nil {
			t.Fatal(value, err)
		}
		var got []string
		for _, f := range s.Check(v) {
			got = append(got, f.At+" "+f.Problem)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

func TestEveryFaultOfASchemaIsTold(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string][]string{
		`{"type":"objct"}`:              {`"/type"`, `"objct"`},
		`{"type":[]}`:                   {`"/type"`},
		`{"type":["null","null"]}`:      {`twice`},
		`{"$ref":"file:///etc/passwd"}`: {`"$ref"`},
		`{"properties":{"a":{"format":"x"},"b":{"minLength":-1},"c":7}}`:    {`"/properties/a" has "format"`, `"/properties/b/minLength"`, `"/properties/c"`},
		`{"minimum":"1","maxItems":1.5,"pattern":"(","required":["a","a"]}`: {`"/minimum" cannot be a string`, `"/maxItems"`, `"/pattern"`, `"/required"`},
		`{"enum":1,"description":2,"examples":{}}`:                          {`"/enum"`, `"/description"`, `"/examples"`},
		`[]`:                 {`neither`},
		``:                   {`EOF`},
		`{} {}`:              {`follows`},
		`{"minimum":1e9999}`: {`out of range`},
	} {
		_, err := Compile([]byte(doc))
		if err == nil {
			t.Errorf("%s was accepted", doc)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want a word of %s", doc, err, w)
			}
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for data, ok := range map[string]bool{
		`{"a":[1,2.50,-1e3]}`:          true,
		`0e-999`:                       false, // what is 0 needs no exponent
		`[1e999999999]`:                false,
		`{"a":1e-999999999}`:           false,
		strings.Repeat("1", 300):       true,
		strings.Repeat("1", 400):       false,
		strings.Repeat(`[`, 1_000_000): false,
		`"\ud800"`:                     true,
		`{}x`:                          false,
	} {
		if _, err := Parse([]byte(data)); (err == nil) != ok {
			t.Errorf("%.30s: %v", data, err)
		}
	}
}
