package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// plain turns a value into what encoding/json would make of it.
func plain(t *testing.T, v jsontext.Value) any {
	switch v.Kind() {
	case 'n':
		return nil
	case 't', 'f':
		return v.Kind() == 't'
	case '0':
		return json.Number(bytes.TrimSpace(v))
	case '"':
		return textOf(v)
	case '[':
		list := []any{}
		for _, item := range elementsOf(v) {
			list = append(list, plain(t, item))
		}
		return list
	case '{':
		o, ok := objectOf(v)
		if !ok {
			t.Fatalf("%s is not an object", v)
		}
		m := map[string]any{}
		for _, name := range o.names {
			m[name] = plain(t, o.members[name])
		}
		return m
	}
	t.Fatal("a value of no kind")
	return nil
}

func depth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			deepest = max(deepest, depth(item))
		}
		return deepest + 1
	case map[string]any:
		for _, item := range v {
			deepest = max(deepest, depth(item))
		}
		return deepest + 1
	}
	return 0
}

// FuzzCheckJSON: what is accepted is exactly what an independent strict reader
// accepts (I-JSON: no duplicate keys, no broken UTF-8), within the depth; and it
// means what the standard library says it means.
func FuzzCheckJSON(f *testing.F) {
	for _, seed := range []string{`{}`, ` {"a":[1,-2.5e+7,true,false,null,"x"],"b":{"c":"\u00fc\ud83d\ude00\n"}} `, `{"a":1,"\u0061":2}`,
		`"\ud83d"`, `"\ude00\ud83d"`, `"\\ud83d"`, `"\ud83d\n"`, "\"\xff\"", `[1,]`, `{"a"}`, `1 2`, ``, `[[[]]]`, "\ufeff{}", `{"":{"":""}}`, `"\/\b\f"`} {
		f.Add([]byte(seed))
	}
	f.Add([]byte(strings.Repeat("[", maxDepth) + "1" + strings.Repeat("]", maxDepth)))
	f.Add([]byte(strings.Repeat("[", maxDepth+1) + "1" + strings.Repeat("]", maxDepth+1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		err := checkJSON(b, maxValues)
		valid := jsontext.Value(b).IsValid()
		if err != nil {
			if valid && !strings.Contains(err.Error(), "nests deeper") {
				t.Fatalf("refused %q: %v", b, err)
			}
			return
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if !valid || depth(want) > maxDepth {
			t.Fatalf("accepted %q", b)
		}
		if got := plain(t, b); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q reads as %v, encoding/json says %v", b, got, want)
		}
	})
}

func TestCheckJSONManyKeys(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{`)
	for i := range 100 {
		b.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
	}
	if err := checkJSON([]byte(b.String()+`"last":1}`), maxValues); err != nil {
		t.Errorf("a hundred different keys: %v", err)
	}
	if err := checkJSON([]byte(b.String()+`"kxxxxx":1}`), maxValues); err == nil {
		t.Error("the hundredth key repeats one, and was accepted")
	}
}

func TestTrimIsTheOriginals(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" \t\r\n\v\f\u00a0\ufeff\u2003\u2028\u3000x\u1680 ": "x",
		"\u0085x":           "\u0085x",
		"\u200bx":           "\u200bx",
		"a b":               "a b",
		" \ufeff\u2029\t\n": "",
	} {
		if got := trim(in); got != want {
			t.Errorf("trim(%q) = %q", in, got)
		}
	}
}

func TestDigestIsOfTheRequestNotOfItsSpelling(t *testing.T) {
	t.Parallel()
	of := func(body string) string {
		o, ok := objectOf([]byte(body))
		if err := checkJSON([]byte(body), maxValues); err != nil || !ok {
			t.Fatal(err)
		}
		return digest(o)
	}
	same := of(`{"sessionId":"s","message":"a\u0062","attachments":["/x"],"opts":{"model":"m","tools":[]}}`)
	for _, body := range []string{
		`{"opts":{"tools":[],"model":"m"},"attachments":["/x"],"message":"ab","sessionId":"other"}`,
		"{ \"message\" : \"\\u0061b\",\n\"attachments\":[ \"\\/x\" ],\"opts\":{\"model\":\"m\",\"tools\":[ ]},\"surplus\":1}",
	} {
		if of(body) != same {
			t.Errorf("another digest for %s", body)
		}
	}
	for _, body := range []string{
		`{"message":"ab"}`,
		`{"message":"ab","attachments":["/x"],"opts":{"model":"m","tools":["read"]}}`,
		`{"message":"ab","attachments":["/x","/x"],"opts":{"model":"m","tools":[]}}`,
		`{"message":"ab","attachments":["/x"],"opts":{"model":"n","tools":[]}}`,
		`{"message":"abattachments","attachments":["/x"],"opts":{"model":"m","tools":[]}}`,
	} {
		if of(body) == same {
			t.Errorf("the same digest for %s", body)
		}
	}
}
