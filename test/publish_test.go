package test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/snapshot"
)

// publishing is a script with a command that runs while others publish, and then
// meddles with what they have published, and with an agent that is one of these.
const publishing = `turns:
  - when: wait
    steps:
      - call:
          name: bash
          input:
            command: |
              touch begun $TMPDIR/begun; for i in $(seq 5000); do test -e $TMPDIR/go && break; sleep 0.02; done
              chmod -R u+w _Estimates; for f in _Estimates/*/a.csv _Estimates/_LATEST.md; do echo forged >> $f; done
              echo forged > _Estimates/EST_2026-01-01_0000
      - say: Done.
  - when: publish
    steps:
      - call: {name: project.snapshot, input: {tool_root: _Estimates, label: AGENT, from: draft}}
      - say: Done.
`

// What a person and an agent publish while a command of another session runs stays,
// and is as it was published whatever the command makes of it. None of it counts as the
// command's, also where its session may not change a thing there.
//
// Covers: workspace 11.1, turn-api REQ-04
func TestPublishedWhileACommandRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.scripted(publishing)
	must(t, os.MkdirAll(filepath.Join(p.project, "draft", "deep"), 0o755))
	p.file("draft/a.csv", "a\n")
	p.file("draft/deep/b.csv", "b\n")
	var out bytes.Buffer
	turn := p.command("turn", "--json", "--mode", "acceptEdits", "--allow", "bash", "wait")
	turn.Stdout = &out
	must(t, turn.Start())
	t.Cleanup(func() { _ = turn.Process.Kill() })
	temp := p.await("begun")
	waiting := p.sessions()
	p.run("snapshot", "new", "_Estimates", "EST", "--from", "draft")
	p.run("turn", "--allow", "project.snapshot", "publish")
	p.run("snapshot", "new", "_Reconciliation/Coverage", "REC", "--from", "draft")
	latest := p.content("_Estimates/_LATEST.md")
	must(t, os.WriteFile(filepath.Join(temp, "go"), nil, 0o600))
	if err := turn.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if got := p.content("_Estimates/_LATEST.md"); got != latest || !strings.HasPrefix(got, "Latest: AGENT_") {
		t.Errorf("the pointer is %q, was %q", got, latest)
	}
	for _, pattern := range []string{"_Estimates/EST_*", "_Estimates/AGENT_*", "_Reconciliation/Coverage/REC_*"} {
		all, err := filepath.Glob(filepath.Join(p.project, pattern))
		if err != nil || len(all) != 1 {
			t.Errorf("%s: %q, %v", pattern, all, err)
			continue
		}
		if found, _ := snapshot.Verify(t.Context(), p.project, strings.TrimPrefix(all[0], p.project+"/")); len(found) > 0 {
			t.Errorf("%s: %+v", all[0], found)
		}
	}
	var its []string
	for _, path := range p.changed(waiting[0]) {
		if !strings.HasSuffix(path, "(restored)") {
			its = append(its, path)
		}
	}
	if diff := cmp.Diff([]string{"begun"}, its); diff != "" {
		t.Errorf("the command's changes (-want +got)\n%s\n%s", diff, &out)
	}
}
