package register

import (
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/layout"
)

// Columned is why the rows cannot be told apart into cells, or nil: the header has no
// DependencyID. Most often such a file has another separator than commas, and one cell
// for each row. Whatever is written to it would mangle it, and whatever is written from
// it would say that it has no dependencies.
func (r *Register) Columned() error {
	if len(r.records) == 0 || r.Has(DependencyID) {
		return nil
	}
	lacks, hint := r.lacksID()
	return fault.New(fault.InvalidSchema, "%s cannot be used: %s", layout.RegisterFile, lacks).WithHint("%s", hint)
}

// lacksID says that the header has no DependencyID, and what to do about it.
func (r *Register) lacksID() (lacks, hint string) {
	lacks = "the header lacks " + DependencyID.String()
	header := ""
	if len(r.records) > 0 {
		header = r.text[r.records[0].start:r.records[0].end]
	}
	for _, s := range []struct{ mark, name string }{{";", "semicolons"}, {"\t", "tabs"}, {"|", "bars"}} {
		if len(r.columns) < 3 && strings.Contains(header, s.mark) {
			return lacks + "; is it separated by " + s.name + "?", "save the file as CSV with commas between the cells"
		}
	}
	return lacks, "write the names of the columns into the first line of the file, with commas between them"
}
