package finding

import (
	"maps"
	"strconv"
	"testing"
)

func TestQuota(t *testing.T) {
	t.Parallel()
	var q Quota
	few := make([]Finding, 1001)
	kept := 0
	for n := range MaxReported / 1000 {
		for i := range few {
			few[i].Path = strconv.Itoa(n)
		}
		kept += len(q.Keep(few))
	}
	if ofFile, all := q.Dropped(); kept != MaxReported || all != MaxReported/1000 || len(ofFile) != 0 {
		t.Errorf("%d are kept, %d dropped, %v beyond a share", kept, all, ofFile)
	}
	if len(q.Keep(few)) != 0 || len(q.Keep(nil)) != 0 {
		t.Error("there is still room")
	}
}

// A file with very many findings does not hide those of the others.
func TestQuotaOfFile(t *testing.T) {
	t.Parallel()
	var q Quota
	many := make([]Finding, 3*MaxReported)
	for i := range many {
		many[i].Path = "many"
	}
	if kept := q.Keep(many); len(kept) != maxOfFile {
		t.Errorf("%d of one file are kept", len(kept))
	}
	if kept := q.Keep([]Finding{{Path: "few"}}); len(kept) != 1 {
		t.Error("there is no room for another file")
	}
	more := map[string]int{"many": len(many) - maxOfFile}
	if ofFile, all := q.Dropped(); !maps.Equal(ofFile, more) || all != more["many"] {
		t.Errorf("%v and %d are dropped", ofFile, all)
	}
}
