//go:build crashtest

package crash

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"belay/internal/durable"
)

// run carries the scenario out.
func (s *scenario) run(t *testing.T) (*world, *disk, []step) {
	t.Helper()
	w := newWorld(t, t.TempDir(), s)
	before := w.prepare(s)
	return w, before, w.record(s)
}

// Whatever was acknowledged survives a power cut and a kill at every change of a
// file, and no id of an event is given twice.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	for i := range scenarios {
		t.Run(scenarios[i].name, func(t *testing.T) {
			w, before, steps := scenarios[i].run(t)
			quick()
			defer durable.SetHook(nil)
			for _, problem := range w.crashes(before, steps, "") {
				t.Error(problem)
			}
		})
	}
}

// oneFlush are kept files that are flushed in one way only, and why.
var oneFlush = map[*durable.File]string{
	durable.Discarded: "it is a folder that gets another name",
	durable.Audit:     "its head lies in the same folder and is flushed after it",
	durable.RunLog:    "its folder is flushed with the run's records",
}

// points are the names of the flushes of all scenarios, with the scenarios that
// have them.
func points(all map[*scenario][]step) map[string][]*scenario {
	found := map[string][]*scenario{}
	for i := range scenarios {
		s := &scenarios[i]
		known := map[string]bool{}
		for _, st := range all[s] {
			if st.op != nil && st.op.Point != "" && !known[st.op.Point] {
				known[st.op.Point] = true
				found[st.op.Point] = append(found[st.op.Point], s)
			}
		}
	}
	return found
}

// has reports whether some scenario has the flush, wherever it is made.
func has(found map[string][]*scenario, point string) bool {
	for name := range found {
		if strings.HasPrefix(name, point) {
			return true
		}
	}
	return false
}

// Each flush is needed: a disk that lies about it loses something. So is each name
// in the table of files: a kept file whose flushes no scenario has is not tested.
func TestEachFlushIsNeeded(t *testing.T) {
	all, worlds, disks := map[*scenario][]step{}, map[*scenario]*world{}, map[*scenario]*disk{}
	for i := range scenarios {
		s := &scenarios[i]
		worlds[s], disks[s], all[s] = s.run(t)
	}
	quick()
	defer durable.SetHook(nil)
	found := points(all)
	for _, f := range durable.Files() {
		if f.Class != durable.Kept {
			continue
		}
		content, folder := has(found, f.ContentPoint()), has(found, f.FolderPoint())
		if !content && !folder || content != folder && oneFlush[f] == "" {
			t.Errorf("scenarios flush the content of a %s: %v, its folder: %v", f.Name, content, folder)
		}
	}
	for _, point := range slices.Sorted(maps.Keys(found)) {
		needed := false
		for _, s := range found[point] {
			if broken := worlds[s].crashes(disks[s], all[s], point); len(broken) > 0 {
				t.Logf("without %q, %s: %s", point, s.name, broken[0])
				needed = true
				break
			}
		}
		if !needed {
			t.Errorf("nothing is lost without the flush %q", point)
		}
	}
}
