package session

import (
	"slices"
	"testing"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
)

func TestMergeInputs(t *testing.T) {
	t.Parallel()
	in := func(message string, merge block.Policy, links ...block.Item) Input {
		return Input{Message: message, Merge: merge, Links: links}
	}
	file := block.Item{ID: "1", URL: "https://example.com/a.png"}
	attached := in("attached", block.Newest)
	attached.Items = []attachment.Item{{Name: "b.png"}}
	for name, c := range map[string]struct {
		inputs         []Input
		said, replaced []string
	}{
		"none":                    {},
		"no files":                {[]Input{in("a", block.Newest), in("b", block.Newest)}, []string{"a", "b"}, nil},
		"the newest is plain":     {[]Input{in("a", block.Newest, file), in("b", block.Newest)}, []string{"b"}, []string{"a"}},
		"an attached file":        {[]Input{attached, in("b", block.Newest)}, []string{"b"}, []string{"attached"}},
		"a file of somebody else": {[]Input{in("a", block.Newest), in("b", "", file), in("c", block.Newest)}, []string{"a", "b", "c"}, nil},
		"somebody else":           {[]Input{in("a", block.Newest, file), in("b", block.Union), in("c", block.Newest), in("d", "")}, []string{"b", "c", "d"}, []string{"a"}},
		"one alone":               {[]Input{in("a", block.Newest, file)}, []string{"a"}, nil},
	} {
		said, replaced := MergeInputs(c.inputs)
		if !slices.Equal(messagesOf(said), c.said) || !slices.Equal(messagesOf(replaced), c.replaced) {
			t.Errorf("%s: said %q, replaced %q", name, messagesOf(said), messagesOf(replaced))
		}
	}
}

func messagesOf(inputs []Input) (all []string) {
	for _, in := range inputs {
		all = append(all, in.Message)
	}
	return all
}
