package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/workflow/run"
)

// printPlan prints what a run would do, for people: what it is given, and each task
// in the file's order with what its agent would get and be shown.
func printPlan(c *console, p *run.Plan) {
	workflow := line(p.Workflow)
	if p.Version != "" {
		workflow += ", version " + line(p.Version)
	}
	var inputs []string
	for _, name := range keys(p.Input) {
		inputs = append(inputs, line(name)+"="+brief(p.Input[name]))
	}
	c.fields(
		"workflow", workflow, "file", p.File, "project", p.Project, "input", strings.Join(inputs, ", "),
		"publishes", p.Snapshot, "estimate", estimate(p),
	)
	for i := range p.Tasks {
		c.write("\n")
		printPlanned(c, &p.Tasks[i], 0)
	}
}

// estimate is what the run would send, in words.
func estimate(p *run.Plan) string {
	text := "about " + grouped(p.Tokens) + " tokens, each task done once"
	if slices.ContainsFunc(p.Tasks, waits) {
		text += ", without what comes of other tasks"
	}
	return text
}

// waits reports whether a task, or one within it, is not known before others are done.
func waits(t run.PlannedTask) bool {
	return len(t.WaitsFor) > 0 || slices.ContainsFunc(t.Tasks, waits)
}

// plannedCells is the column, from a task's name on, in which what is said of it
// begins.
const plannedCells = 11

// shownLines is how many lines of a prompt a plan shows.
const shownLines = 12

func printPlanned(c *console, t *run.PlannedTask, depth int) {
	margin := strings.Repeat("  ", depth)
	head := fmt.Sprintf("%s── %s · %s", margin, line(t.ID), t.Kind)
	switch {
	case t.Agent != "" && t.Action != "":
		head += " · " + line(t.Agent) + "/" + line(t.Action)
	case t.Agent != "":
		head += " · " + line(t.Agent)
	}
	if t.Items != nil {
		head += " · " + quantity.Count(*t.Items, "item", "items")
	}
	if t.Tokens > 0 {
		head += " · about " + grouped(t.Tokens) + " tokens"
	}
	c.write(hang(clean(head), c.width, len(margin)+3) + "\n")

	say := func(label, text string) {
		if text = clean(text); text != "" {
			label = margin + "   " + pad(label, plannedCells-1)
			for l := range strings.Lines(label + hang(text, c.width, cells(label)) + "\n") {
				c.write(strings.TrimRight(l, " \n") + "\n")
			}
		}
	}
	if t.Unreached {
		say("never", "no task leads to it, so it is not done")
	}
	if t.Tool != "" {
		say("calls", toolCall(t.Tool, t.Input))
	}
	say("provider", t.Provider)
	say("model", render.Model(t.Model))
	say("waits for", strings.Join(orAll(t.WaitsFor), ", "))
	if t.Tools != nil {
		say("tools", cmp.Or(strings.Join(*t.Tools, ", "), "none"))
	}
	asks := strings.Join(t.Asks, ", ")
	if t.Tool != "" && asks != "" {
		asks = "a person, unless --allow " + t.Tool + " or --mode acceptEdits permits it"
	}
	say("asks", asks)
	say("never", strings.Join(t.Deny, ", "))
	for i := range t.Attachments {
		say(plannedAttachment(&t.Attachments[i]))
	}
	say("told", firstLines(t.Instructions))
	say("prompt", firstLines(t.Prompt))
	for _, p := range t.Problems {
		say("problem", p)
	}
	for i := range t.Tasks {
		printPlanned(c, &t.Tasks[i], depth+1)
	}
	if t.Items != nil && *t.Items > len(t.Tasks) && len(t.Tasks) > 0 {
		say("", "and so on for "+quantity.Count(*t.Items-len(t.Tasks), "more item", "more items"))
	}
	say("then", strings.Join(t.Next, " or "))
}

// toolCall is a tool with its input in a few words, the file first.
func toolCall(tool string, input any) string {
	m, _ := input.(map[string]any)
	path, ok := m["path"].(string)
	if !ok || len(m) == 1 {
		return strings.TrimSpace(tool + " " + brief(input))
	}
	rest := maps.Clone(m)
	delete(rest, "path")
	return tool + " " + clip(line(path), maxItem) + " " + brief(rest)
}

// orAll says what * stands for where tasks are named.
func orAll(ids []string) []string {
	named := make([]string, len(ids))
	for i, id := range ids {
		if named[i] = id; id == "*" {
			named[i] = "all before it"
		}
	}
	return named
}

// plannedAttachment is an attachment in a line, after what would become of it.
func plannedAttachment(a *run.PlannedAttachment) (label, text string) {
	if a.Waits != "" {
		text = line(a.Type) + " " + line(a.Waits)
		if len(a.WaitsFor) > 0 {
			text += ", known after " + strings.Join(orAll(a.WaitsFor), ", ")
		}
		return "later", text
	}
	text = line(cmp.Or(a.Name, a.Path, a.URL))
	source := line(cmp.Or(a.URL, a.Path))
	if a.Base != "" {
		text, source = line(cmp.Or(a.Name, source)), a.Base+": "+source
	}
	if source != text && source != "" {
		text += " (" + source + ")"
	}
	if a.Refused != "" {
		text += ": " + line(a.Refused)
		if a.Optional {
			text += " (optional)"
		}
		return "refused", text
	}
	facts := []string{line(cmp.Or(a.MIME, a.Type))}
	if a.Bytes > 0 {
		facts = append(facts, quantity.Size(a.Bytes))
	}
	for _, more := range []string{a.Used, a.Note} {
		if more != "" {
			facts = append(facts, line(more))
		}
	}
	if a.Tokens > 0 {
		facts = append(facts, "about "+grouped(a.Tokens)+" tokens")
	}
	if len(a.Meta) > 0 {
		facts = append(facts, "meta "+brief(a.Meta))
	}
	return "shown", text + ": " + strings.Join(facts, ", ")
}

// firstLines is the beginning of a long text, with how much there is more.
func firstLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) <= shownLines {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:shownLines], "\n") + "\n… " + quantity.Count(len(lines)-shownLines, "more line", "more lines") + " (--json has all)"
}
