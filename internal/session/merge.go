package session

import (
	"slices"

	"belay/internal/attachment/block"
)

// MergeInputs are those of the inputs that a model gets together which are said to it, and
// those that are not: of the inputs that ask for [block.Newest] the newest one replaces the
// others where one of them has files. Both keep their order.
func MergeInputs(inputs []Input) (said, replaced []Input) {
	newest, files := -1, false
	for i, in := range inputs {
		if in.Merge == block.Newest {
			newest, files = i, files || len(in.Links)+len(in.Items) > 0
		}
	}
	if !files {
		return inputs, nil
	}
	for i, in := range inputs {
		if in.Merge == block.Newest && i != newest {
			replaced = append(replaced, in)
		} else {
			said = append(said, in)
		}
	}
	return slices.Clip(said), replaced
}
