package shell

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"belay/internal/tool"
	"belay/internal/tool/live"
	"belay/internal/tool/shell/confine"
)

// The space in a result for what is not output.
const (
	maxNotes     = 20
	noteRoom     = 4 << 10
	maxNoteBytes = 500
)

// outputBytes is how much of a command's output is kept: what may be kept of it,
// and no more than a result holds.
func outputBytes(l tool.Limits) int64 {
	return max(min(l.CommandBytes, l.OutputBytes-noteRoom), min(l.OutputBytes/2, noteRoom))
}

// result is what the model gets to read.
func (c *call) result(o confine.Outcome, notes []string) tool.Result {
	var b strings.Builder
	writeOutput(&b, o.Output)
	value := map[string]any{"exit_code": o.ExitCode, "output": b.String()}
	b.WriteString(c.ended(o))
	if o.Left > 0 && !c.stopped && !o.TimedOut && !o.Crowded && c.exceeded == nil {
		fmt.Fprintf(&b, "\n%d of its processes still ran and were ended: nothing outlives a command", o.Left)
	}
	if o.Starved {
		b.WriteString("\nthe system ended some of its processes: together they used more memory than they may (bash.memory_bytes)")
	}
	notes = slices.Concat(notes, c.unreached, c.endedJobs)
	for i, n := range notes {
		if i == maxNotes {
			fmt.Fprintf(&b, "\nand %d more of these", len(notes)-maxNotes)
			break
		}
		b.WriteString("\n" + tool.Clip(n, maxNoteBytes))
	}
	if c.report.Unconfined {
		b.WriteString("\n(this machine does not confine commands in full; belay doctor says what is missing)")
	}
	text := b.String()
	truncated := o.Output.Dropped > 0
	if most := int(c.environment.Limits.OutputBytes); len(text) > most {
		text, truncated = tool.Clip(text, most), true
	}
	return tool.Result{Text: text, Truncated: truncated, Failed: c.failed(o), Value: value}
}

// failed reports whether the command failed. A job that was stopped did not.
func (c *call) failed(o confine.Outcome) bool {
	return !c.stopped && o.ExitCode != 0 || o.TimedOut || o.Crowded || c.exceeded != nil
}

// writeOutput writes what was kept of a command's output, and ends its last line.
func writeOutput(b *strings.Builder, o confine.Output) {
	b.WriteString(live.Plain(o.Head))
	if o.Dropped > 0 {
		fmt.Fprintf(b, "\n[… %d bytes of output left out …]\n", o.Dropped)
	}
	b.WriteString(live.Plain(o.Tail))
	if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
}

// ended is a line on how the command ended.
func (c *call) ended(o confine.Outcome) string {
	took := o.Took.Round(time.Millisecond)
	switch {
	case c.exceeded != nil:
		return fmt.Sprintf("ended after %v: %v", took, c.exceeded)
	case c.stopped:
		return fmt.Sprintf("stopped after %v", took)
	case o.TimedOut:
		return fmt.Sprintf("ended after %v: its time of %v ran out (timeout_ms may be up to %d)", took, c.limit, c.environment.Limits.CommandTimeMost.Milliseconds())
	case o.Crowded:
		return fmt.Sprintf("ended after %v: it had more processes than it may have", took)
	case o.Signal != "":
		return fmt.Sprintf("ended by %s after %v", o.Signal, took)
	}
	return fmt.Sprintf("exit code %d after %v", o.ExitCode, took)
}

// refusals are what programs say of changes that an overlay cannot take, and what that
// means.
var refusals = []struct{ said, means string }{
	{"Invalid cross-device link", "a folder that was there before cannot be renamed here: copy it, and remove the old one"},
	{"Value too large for defined data type", "files and folders of another user or group cannot be changed here: use write or edit, or ask to run it outside"},
}

// explained are sentences on what went wrong because the project is an overlay.
func explained(o confine.Output) (notes []string) {
	for _, r := range refusals {
		if bytes.Contains(o.Head, []byte(r.said)) || bytes.Contains(o.Tail, []byte(r.said)) {
			notes = append(notes, r.means)
		}
	}
	return notes
}
