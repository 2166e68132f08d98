package plainjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

type report struct {
	Root  string    `json:"root"`
	List  []element `json:"list"`
	Count struct {
		List []int `json:"list"`
	} `json:"count"`
	Note string `json:"note,omitempty"`
}

type element struct {
	Text string         `json:"text"`
	More map[string]int `json:"more,omitempty"`
}

// An object that is written piece by piece says the same as the whole one, has the form
// that was asked for, and begins with its list.
func TestList(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		for _, indent := range []string{"", "  "} {
			whole := report{Root: "/x\n  \"list\": []", List: []element{}, Note: `"list":[]`}
			empty := whole
			var got bytes.Buffer
			list := NewList(&got, "list", indent)
			for i := range n {
				e := element{Text: "a<b>\n \"list\": []", More: map[string]int{"n": i}}
				whole.List = append(whole.List, e)
				list.Add(e)
			}
			if err := list.End(empty); err != nil {
				t.Fatal(err)
			}
			want, err := Marshal(whole)
			if indent != "" {
				want, err = MarshalIndent(whole)
			}
			var a, b report
			if err != nil || json.Unmarshal(want, &a) != nil || json.Unmarshal(got.Bytes(), &b) != nil || !reflect.DeepEqual(a, b) || got.Len() != len(want)+1 {
				t.Errorf("%d elements:\n%s\nwant\n%s", n, got.String(), want)
			}
			if !strings.HasPrefix(strings.TrimLeft(got.String(), "{ \n"), `"list"`) {
				t.Errorf("it does not begin with the list: %s", got.String())
			}
		}
	}
}

// Without its list, or with a filled one, an object is refused, and so is what is no JSON.
func TestListRefuses(t *testing.T) {
	t.Parallel()
	for _, object := range []any{map[string]any{"a": 1}, map[string]any{"list": []int{1}}, []int{1}, 1, func() {}} {
		for n := range 2 {
			list := NewList(&bytes.Buffer{}, "list", "")
			for range n {
				list.Add(2)
			}
			if err := list.End(object); err == nil {
				t.Errorf("%T was written after %d elements", object, n)
			}
		}
	}
	list := NewList(&bytes.Buffer{}, "list", "")
	if list.Add(func() {}); list.End(report{List: []element{}}) == nil {
		t.Error("a function was written")
	}
	list = NewList(full{}, "list", "")
	if list.Add(1); !errors.Is(list.End(report{List: []element{}}), errFull) {
		t.Error("the error of the writer is lost")
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }
