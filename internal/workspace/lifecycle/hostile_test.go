package lifecycle

import (
	"strings"
	"testing"
	"time"
)

// TestHostileFiles reads files that somebody made to be slow: much of one
// thing. Each is dealt with in a moment; the minute is for a busy machine.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const head = "# Status: DEL-01-02\n\n**Current State:** OPEN\n**Last Updated:** 2026-02-17\n\n## History\n"
	for name, piece := range map[string]string{
		"blank lines": "\n", "returns": "\r", "items": "- 2026-02-17 — State set to OPEN (PREPARATION)\n", "bare items": "-\n", "deep items": " - - - -\n",
		"headings": "# x\n", "deeper headings": "## x\n### x\n###### x\n", "histories": "## History\n", "fields": "**a:** b\n", "states": "**Current State:** x\n",
		"tables": "|Date|To|\n|-|-|\n", "rows": "| 2026-02-17 | OPEN |\n", "pipes": "|", "fences": "```\n", "stars": "*", "brackets": "(", "dates": "2026-02-17 ",
		"days": "- 2026-02-1" + "7 - OPEN\n- 2026-02-16 - INITIALIZED\n", "long item": "- 2026-02-17 — State set to OPEN (((((((((\n  ((((\n",
	} {
		for _, prefix := range []string{head, "", head + "| Date | From | To | Actor | Notes |\n|---|---|---|---|---|\n", head + "- 2026-02-17 — "} {
			data := []byte(prefix + strings.Repeat(piece, (64<<10)/len(piece)))
			began := time.Now()
			s := Parse(data)
			found := s.Check("PKG-01/1_Working/DEL-01-02_X/_STATUS.md")
			_, err := Transition(data, Request{To: "INITIALIZED", Actor: "4_DOCUMENTS", Now: now, Metadata: []Field{{"a", "x"}}})
			if took := time.Since(began); took > time.Minute {
				t.Errorf("%s behind %.20q took %v (%v)", name, prefix, took, err)
			}
			if len(found) > maxFindings+20 {
				t.Errorf("%s: %d findings", name, len(found))
			}
		}
	}
}
