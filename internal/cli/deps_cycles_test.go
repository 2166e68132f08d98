package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"belay/internal/workspace/graph"
)

// In a group of thousands of deliverables people see some circles and how many more
// there are, on lines that fit a narrow terminal. With --all nothing is left out.
func TestCyclesOfThousands(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const head = "DependencyID,DependencyClass,Direction,DependencyType,TargetType,TargetDeliverableID,Status\n"
	const members = 2_000
	id := func(i int) string { return fmt.Sprintf("DEL-%03d-%02d", i/50+1, i%50+1) }
	for i := range members {
		dir := filepath.Join(root, fmt.Sprintf("PKG-%03d_Of_It", i/50+1), "1_Working", id(i)+"_x")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		// A ring of all of them, with a shortcut back at every tenth.
		text := head + "A,EXECUTION,UPSTREAM,PREREQUISITE,DELIVERABLE," + id((i+1)%members) + ",ACTIVE\n"
		if i%40 == 39 {
			text += "B,EXECUTION,UPSTREAM,PREREQUISITE,DELIVERABLE," + id(i-39) + ",ACTIVE\n"
		}
		if err := os.WriteFile(filepath.Join(dir, "Dependencies.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "belay", append([]string{"deps", "cycles", "--project", root}, args...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "COLUMNS=40", "HOME="+root, "XDG_CONFIG_HOME="+root, "XDG_STATE_HOME="+root, "XDG_CACHE_HOME="+root)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return out
	}
	short := string(run())
	for line := range strings.Lines(short) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 40 {
			t.Errorf("a line is too long: %s", line)
		}
	}
	if len(short) > 8<<10 || !strings.HasPrefix(short, "2000 deliverables wait for each other:\n  DEL-001-01 → ") || !strings.Contains(short, "(28 more)") ||
		!strings.Contains(short, "and 30 more circles; --all lists\n") {
		t.Errorf("%d bytes:\n%.3000s", len(short), short)
	}
	if whole := string(run("--all")); strings.Contains(whole, "more") || !strings.Contains(whole, "DEL-040-31") {
		t.Errorf("not all: %.2000s", whole)
	}
	var answer struct {
		Components []graph.Component
		Cycles     []graph.Cycle
	}
	if err := json.Unmarshal(run("--json"), &answer); err != nil || len(answer.Cycles) != 50 || len(answer.Components) != 1 || answer.Components[0].WithoutCycle != 0 {
		t.Errorf("%v: %d cycles, %d components", err, len(answer.Cycles), len(answer.Components))
	}
}
